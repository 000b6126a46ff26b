/** Text of any length, of which only the visible lines are in the page. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { number } from '../lib/format'
import { windowAt } from './window'

/** The height of a line in pixels, as in the style sheet. */
const LINE_PIXELS = 20
/** Lines before the end at which further ones are asked for. */
const SPARE_LINES = 30

interface Properties {
  label: string
  lines: string[]
  onEnd?: () => void
}

/** The characters of a line that are in the page. */
const MAX_CHARACTERS = 2000

const cut = (line: string) => (line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)} … ${number(line.length)} characters` : line)

export function Lines({ label, lines, onEnd }: Properties) {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const look = () => {
    const element = scroller.current
    if (element) setView({ top: element.scrollTop, height: element.clientHeight })
  }
  useEffect(look, [])
  const { first, end, above, below } = windowAt(view.top, view.height, lines.length, LINE_PIXELS)
  useEffect(() => {
    if (end >= lines.length - SPARE_LINES) onEnd?.()
  }, [end, lines.length])
  return (
    <div class="lines-box" ref={scroller} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <pre class="lines" style={{ paddingTop: `${above}px`, paddingBottom: `${below}px` }}>
        {lines.slice(first, end).map(cut).join('\n')}
      </pre>
    </div>
  )
}
