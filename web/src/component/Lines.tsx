/** Text of any length, of which only the visible lines are in the page. */
import { useEffect, useRef, useState } from 'preact/hooks'

/** The height of a line in pixels, as in the style sheet. */
const LINE_PIXELS = 20
const SPARE_LINES = 30

interface Properties {
  label: string
  lines: string[]
  onEnd?: () => void
}

export function Lines({ label, lines, onEnd }: Properties) {
  const scroller = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const look = () => setFirst(Math.floor((scroller.current?.scrollTop ?? 0) / LINE_PIXELS))
  const height = scroller.current?.clientHeight ?? 800
  const from = Math.max(0, first - SPARE_LINES)
  const to = Math.min(lines.length, first + Math.ceil(height / LINE_PIXELS) + SPARE_LINES)
  useEffect(() => {
    if (to >= lines.length - SPARE_LINES) onEnd?.()
  }, [to, lines.length])
  return (
    <div class="lines-box" ref={scroller} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <div style={{ height: `${lines.length * LINE_PIXELS}px` }}>
        <pre class="lines" style={{ transform: `translateY(${from * LINE_PIXELS}px)` }}>
          {lines.slice(from, to).join('\n')}
        </pre>
      </div>
    </div>
  )
}
