/** The map on a canvas: a graticule with degrees, the coastlines, and the shapes. */
import { drawEarth, type Earth } from './earth'
import type { Drawn } from './hit'
import { type Camera, fromScreen, project, stepOf, toScreen, unproject } from './projection'
import type { Shape } from './shapes'

export interface Colours {
  surface: string
  line: string
  muted: string
  accent: string
  soft: string
  chosen: string
}

/** What is on the map. */
export interface Contents {
  shapes: Shape[]
  /** The row that is chosen. */
  chosen?: number
  /** The coastlines, once they are loaded. */
  earth?: Earth
}

/** Pixels between the lines of the graticule. */
const LINES_APART = 90
const POINT_RADIUS = 4

/** Draws the map and returns where its shapes are. Sizes are in pixels of the page. */
export function draw(context: CanvasRenderingContext2D, width: number, height: number, camera: Camera, { shapes, chosen, earth }: Contents, colours: Colours): Drawn[] {
  context.fillStyle = colours.surface
  context.fillRect(0, 0, width, height)
  const place = ([longitude, latitude]: [number, number]) => toScreen(project([longitude, latitude]), camera, width, height)
  const drawn = shapes.map((shape) => ({ shape, lines: shape.lines.map((line) => line.map(place)) })).filter(({ lines }) => isSeen(lines[0] ?? [], width, height))
  drawGraticule(context, width, height, camera, colours)
  if (earth) drawEarth(context, width, height, camera, earth, colours.muted)
  // Areas lie below lines, and these below points; outlines of the chosen row lie above all.
  const order = { area: 0, line: 1, point: 2 }
  const sorted = drawn.toSorted((left, right) => order[left.shape.kind] - order[right.shape.kind])
  for (const one of sorted) drawShape(context, one, false, colours)
  for (const one of sorted) if (one.shape.row === chosen) drawShape(context, one, true, colours)
  return sorted
}

/** Returns true if the box around a line touches the screen. */
function isSeen(line: { x: number; y: number }[], width: number, height: number): boolean {
  let [left, right, top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { x, y } of line) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return right >= -POINT_RADIUS && left <= width + POINT_RADIUS && bottom >= -POINT_RADIUS && top <= height + POINT_RADIUS
}

function drawShape(context: CanvasRenderingContext2D, { shape, lines }: Drawn, isChosen: boolean, colours: Colours) {
  const colour = isChosen ? colours.chosen : colours.accent
  context.beginPath()
  if (shape.kind === 'point') {
    const [{ x, y } = { x: 0, y: 0 }] = lines[0] ?? []
    context.arc(x, y, isChosen ? POINT_RADIUS * 1.6 : POINT_RADIUS, 0, 2 * Math.PI)
    context.fillStyle = colour
    context.fill()
    context.strokeStyle = colours.surface
    context.lineWidth = 1
    context.stroke()
    return
  }
  for (const line of lines) {
    const [first] = line
    if (first) context.moveTo(first.x, first.y)
    for (const { x, y } of line) context.lineTo(x, y)
  }
  if (shape.kind === 'area') context.closePath()
  if (shape.kind === 'area' && !isChosen) {
    context.globalAlpha = 0.6
    context.fillStyle = colours.soft
    context.fill('evenodd')
    context.globalAlpha = 1
  }
  context.strokeStyle = colour
  context.lineWidth = isChosen ? 3 : 1.5
  context.stroke()
}

function drawGraticule(context: CanvasRenderingContext2D, width: number, height: number, camera: Camera, colours: Colours) {
  const step = stepOf(camera, LINES_APART)
  const [west, north] = unproject(fromScreen({ x: 0, y: 0 }, camera, width, height))
  const [east, south] = unproject(fromScreen({ x: width, y: height }, camera, width, height))
  context.lineWidth = 1
  context.strokeStyle = colours.line
  context.fillStyle = colours.muted
  context.font = '11px system-ui'
  const line = (fromX: number, fromY: number, toX: number, toY: number) => {
    context.beginPath()
    context.moveTo(fromX, fromY)
    context.lineTo(toX, toY)
    context.stroke()
  }
  for (const degrees of multiples(Math.max(-180, west), Math.min(180, east), step)) {
    const { x } = toScreen(project([degrees, 0]), camera, width, height)
    line(Math.round(x) + 0.5, 0, Math.round(x) + 0.5, height)
    context.fillText(degreesText(degrees, 'E', 'W'), x + 4, height - 6)
  }
  for (const degrees of multiples(Math.max(-85, south), Math.min(85, north), step)) {
    const { y } = toScreen(project([0, degrees]), camera, width, height)
    line(0, Math.round(y) + 0.5, width, Math.round(y) + 0.5)
    context.fillText(degreesText(degrees, 'N', 'S'), 6, y - 4)
  }
}

/** Returns the multiples of a step between two bounds. */
function multiples(least: number, most: number, step: number): number[] {
  const first = Math.ceil(least / step)
  return Array.from({ length: Math.max(0, Math.floor(most / step) - first + 1) }, (_, index) => (first + index) * step)
}

function degreesText(degrees: number, positive: string, negative: string): string {
  const rounded = Number(Math.abs(degrees).toFixed(4))
  return `${rounded}°${rounded === 0 ? '' : degrees > 0 ? ` ${positive}` : ` ${negative}`}`
}
