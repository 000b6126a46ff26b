/** The coastlines and borders of the earth, from Natural Earth (public domain). */
import { type Camera, type Point, project, toScreen } from './projection'

/** Lines of points of the map. */
export interface Earth {
  coasts: Point[][]
  borders: Point[][]
}

/** Lines as the file has them: in steps of a degree, each from the one before. */
interface Stored {
  steps: number
  coasts: number[][]
  borders: number[][]
}

/** Loads the lines. They are a file of their own, which only maps need. */
export async function loadEarth(): Promise<Earth> {
  const { steps, coasts, borders } = (await import('./earth.json')).default as Stored
  const lines = (stored: number[][]) => stored.map((line) => pointsOf(line, steps))
  return { coasts: lines(coasts), borders: lines(borders) }
}

/** Returns the points of a line. */
export function pointsOf(line: number[], steps: number): Point[] {
  const points: Point[] = []
  let [longitude, latitude] = [0, 0]
  for (let at = 0; at + 1 < line.length; at += 2) {
    longitude += line[at] ?? 0
    latitude += line[at + 1] ?? 0
    points.push(project([longitude / steps, latitude / steps]))
  }
  return points
}

/** Draws the lines in a colour: borders fainter than coasts. */
export function drawEarth(context: CanvasRenderingContext2D, width: number, height: number, camera: Camera, earth: Earth, colour: string) {
  context.strokeStyle = colour
  context.lineWidth = 1
  for (const [lines, alpha] of [[earth.borders, 0.35], [earth.coasts, 0.75]] as const) {
    context.globalAlpha = alpha
    context.beginPath()
    for (const line of lines) trace(context, line.map((point) => toScreen(point, camera, width, height)), width, height)
    context.stroke()
  }
  context.globalAlpha = 1
}

/** Adds a line to the path, if it is near the screen. */
function trace(context: CanvasRenderingContext2D, line: Point[], width: number, height: number) {
  if (!line.some(({ x, y }) => x > -width && x < 2 * width && y > -height && y < 2 * height)) return
  for (const [at, { x, y }] of line.entries()) {
    if (at === 0) context.moveTo(x, y)
    else context.lineTo(x, y)
  }
}
