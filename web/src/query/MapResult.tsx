/** The places and areas of a result on a map, which is drawn here: nothing comes from elsewhere. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Colours, draw } from '../map/draw'
import { loadEarth } from '../map/earth'
import { type Drawn, hit } from '../map/hit'
import { type Camera, fitting, moved, type Point, project, zoomed } from '../map/projection'
import { MAX_ROWS, type Shape, shapesOf } from '../map/shapes'
import { colourOf } from '../lib/colour'
import { number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { theme } from '../lib/theme'
import '../style/map.css'

interface Properties {
  rows: string[]
  count: number
  onOpen: (row: string) => void
}

/** Pixels of a step by an arrow key, and the factor of a zoom by a key or a button. */
const STEP = 80
const ZOOM = 1.6

export function MapResult({ rows, count, onOpen }: Properties) {
  const shapes = useMemo(() => shapesOf(rows), [rows, count])
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [camera, setCamera] = useState<Camera>()
  const [chosen, setChosen] = useState<number>()
  const { value: earth } = useLoaded(loadEarth, [])
  const drawn = useRef<Drawn[]>([])
  /** True once the user has moved the map: further rows then leave it where it is. */
  const isMoved = useRef(false)
  const dragged = useRef<Point | undefined>(undefined)
  const { width, height } = size

  useEffect(() => {
    const element = canvas.current?.parentElement
    if (!element) return
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (width > 0 && !isMoved.current) setCamera(fitting(shapes, width, height))
  }, [shapes, width > 0])
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || !camera || width === 0) return
    const scale = devicePixelRatio
    element.width = width * scale
    element.height = height * scale
    context.scale(scale, scale)
    drawn.current = draw(context, width, height, camera, { shapes, chosen, earth }, coloursOf(element))
  }, [camera, width, height, shapes, chosen, earth, theme.value])

  const change = (next: (camera: Camera) => Camera) => {
    isMoved.current = true
    setCamera((camera) => camera && next(camera))
  }
  const zoom = (factor: number, at: Point = { x: width / 2, y: height / 2 }) => change((camera) => zoomed(camera, factor, at, width, height))
  const move = (x: number, y: number) => change((camera) => moved(camera, x, y))
  const fit = () => {
    isMoved.current = false
    setCamera(fitting(shapes, width, height))
  }
  /** Chooses the row of the next or the previous shape and puts it in the middle. */
  const step = (by: number) => {
    const rowsWithShapes = [...new Set(shapes.map((shape) => shape.row))]
    const at = chosen === undefined ? (by > 0 ? 0 : -1) : rowsWithShapes.indexOf(chosen) + by
    const row = rowsWithShapes.at(at % rowsWithShapes.length)
    const [place] = shapes.find((shape) => shape.row === row)?.lines[0] ?? []
    setChosen(row)
    if (place) change(({ size }) => ({ size, centre: project(place) }))
  }
  const keys: Record<string, () => void> = {
    ArrowLeft: () => move(-STEP, 0),
    ArrowRight: () => move(STEP, 0),
    ArrowUp: () => move(0, -STEP),
    ArrowDown: () => move(0, STEP),
    '+': () => zoom(ZOOM),
    '-': () => zoom(1 / ZOOM),
    '0': fit,
    n: () => step(1),
    p: () => step(-1),
    Enter: () => chosen !== undefined && onOpen(rows[chosen] ?? ''),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  }
  const at = (event: MouseEvent): Point => ({ x: event.offsetX, y: event.offsetY })
  const onPointerMove = (event: PointerEvent) => {
    const last = dragged.current
    if (!last) return setChosen((old) => hit(drawn.current, at(event))?.row ?? old)
    move(last.x - event.offsetX, last.y - event.offsetY)
    dragged.current = at(event)
  }
  const onPointerDown = (event: PointerEvent) => {
    dragged.current = at(event)
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
  }
  useWheel(canvas, (event) => zoom(event.deltaY < 0 ? 1.25 : 0.8, at(event)))

  return (
    <div class="map-result">
      <div class="map-host">
        <canvas
          ref={canvas}
          role="img"
          tabIndex={0}
          aria-label={labelOf(shapes)}
          data-coasts={earth?.coasts.length}
          onKeyDown={onKeyDown}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={() => (dragged.current = undefined)}
          onDblClick={(event) => onOpen(rows[hit(drawn.current, at(event))?.row ?? -1] ?? 'null')}
        />
        <div class="canvas-tools">
          <button type="button" class="button" aria-label="Zoom in" onClick={() => zoom(ZOOM)}>
            +
          </button>
          <button type="button" class="button" aria-label="Zoom out" onClick={() => zoom(1 / ZOOM)}>
            −
          </button>
          <button type="button" class="button" onClick={fit}>
            Fit
          </button>
        </div>
      </div>
      <div class="map-row">
        <code role="status" aria-label="Selected row">
          {chosen === undefined ? `${number(shapes.length)} places and areas in ${number(Math.min(count, MAX_ROWS))} rows. Point at one; N and P go to the next and the previous.` : rows[chosen]}
        </code>
        {chosen !== undefined && (
          <button type="button" class="button" onClick={() => onOpen(rows[chosen] ?? '')}>
            Open
          </button>
        )}
      </div>
    </div>
  )
}

function labelOf(shapes: Shape[]): string {
  return `Map of ${number(shapes.length)} places and areas`
}

/** Listens to the wheel where the page must not scroll. */
function useWheel(element: { current: HTMLElement | null }, act: (event: WheelEvent) => void) {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const host = element.current
    const listen = (event: WheelEvent) => {
      event.preventDefault()
      latest.current(event)
    }
    host?.addEventListener('wheel', listen, { passive: false })
    return () => host?.removeEventListener('wheel', listen)
  }, [])
}

function coloursOf(element: HTMLElement): Colours {
  const colour = (name: string) => colourOf(element.parentElement ?? element, name)
  return { surface: colour('--surface'), line: colour('--line'), muted: colour('--muted'), accent: colour('--accent'), soft: colour('--accent-soft'), chosen: colour('--danger') }
}
