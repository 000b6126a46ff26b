/** The border of a column, which is dragged to make the column wider. */
import { useRef } from 'preact/hooks'

/** Pixels of a step by an arrow key. */
const STEP = 20

export function WidthHandle({ title, onWiden }: { title: string; onWiden: (pixels: number) => void }) {
  const handle = useRef<HTMLSpanElement>(null)
  const isDragged = useRef(false)
  const cell = () => handle.current?.closest('th')?.getBoundingClientRect()
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    const width = cell()?.width
    if (step && width) onWiden(width + step)
  }
  const onPointerDown = (event: PointerEvent) => {
    event.preventDefault()
    isDragged.current = true
    handle.current?.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent) => {
    const left = cell()?.left
    if (isDragged.current && left !== undefined) onWiden(event.clientX - left)
  }
  return (
    <span
      ref={handle}
      class="width-handle"
      role="slider"
      tabIndex={0}
      aria-label={`Width of ${title}`}
      aria-valuenow={Math.round(cell()?.width ?? 0)}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (isDragged.current = false)}
    />
  )
}
