/** Mercator's projection, and the part of the map that is seen. */
import type { Position, Shape } from './shapes'

/** The greatest latitude; the poles are infinitely far. */
const MAX_LATITUDE = 85.05
/** Pixels of the circumference of the earth at the least and the greatest zoom. */
const LEAST_SIZE = 200
const MAX_SIZE = 2 ** 34

/** A point of the map, whose width and height are 1; or one of the screen, in pixels. */
export interface Point {
  x: number
  y: number
}

/** The visible part of the map. */
export interface Camera {
  /** The point in the middle. */
  centre: Point
  /** Pixels of the whole map's width. */
  size: number
}

/** Returns the point of a position. */
export function project([longitude, latitude]: Position): Point {
  const bounded = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude))
  const y = Math.log(Math.tan(Math.PI / 4 + (bounded * Math.PI) / 360))
  return { x: longitude / 360 + 0.5, y: 0.5 - y / (2 * Math.PI) }
}

/** Returns the position of a point. */
export function unproject({ x, y }: Point): Position {
  return [(x - 0.5) * 360, (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90]
}

/** Returns the place on a screen of a width and a height. */
export function toScreen({ x, y }: Point, { centre, size }: Camera, width: number, height: number): Point {
  return { x: (x - centre.x) * size + width / 2, y: (y - centre.y) * size + height / 2 }
}

/** Returns the point of the map at a place on the screen. */
export function fromScreen({ x, y }: Point, { centre, size }: Camera, width: number, height: number): Point {
  return { x: centre.x + (x - width / 2) / size, y: centre.y + (y - height / 2) / size }
}

/** Returns the camera after a zoom that leaves a place of the screen where it is. */
export function zoomed(camera: Camera, factor: number, at: Point, width: number, height: number): Camera {
  const size = Math.max(LEAST_SIZE, Math.min(MAX_SIZE, camera.size * factor))
  const fixed = fromScreen(at, camera, width, height)
  return { size, centre: { x: fixed.x - (at.x - width / 2) / size, y: fixed.y - (at.y - height / 2) / size } }
}

/** Returns the camera moved by pixels. */
export function moved({ centre, size }: Camera, x: number, y: number): Camera {
  return { size, centre: { x: Math.max(-0.5, Math.min(1.5, centre.x + x / size)), y: Math.max(0, Math.min(1, centre.y + y / size)) } }
}

/** Returns the camera that sees all shapes. */
export function fitting(shapes: Shape[], width: number, height: number): Camera {
  const least = { x: Number.POSITIVE_INFINITY, y: Number.POSITIVE_INFINITY }
  const most = { x: Number.NEGATIVE_INFINITY, y: Number.NEGATIVE_INFINITY }
  for (const { lines } of shapes) {
    for (const position of lines.flat()) {
      const { x, y } = project(position)
      least.x = Math.min(least.x, x)
      least.y = Math.min(least.y, y)
      most.x = Math.max(most.x, x)
      most.y = Math.max(most.y, y)
    }
  }
  if (least.x > most.x) return { centre: { x: 0.5, y: 0.5 }, size: Math.max(LEAST_SIZE, Math.min(width, height)) }
  // One place is seen with some kilometres around it.
  const [across, down] = [Math.max(most.x - least.x, 1e-4), Math.max(most.y - least.y, 1e-4)]
  const size = Math.min((width * 0.86) / across, (height * 0.86) / down)
  return { centre: { x: (least.x + most.x) / 2, y: (least.y + most.y) / 2 }, size: Math.max(LEAST_SIZE, Math.min(MAX_SIZE, size)) }
}

/** Degrees between the lines of the graticule. */
const STEPS = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001]

/** Returns the degrees between lines that are about `pixels` apart. */
export function stepOf({ size }: Camera, pixels: number): number {
  const wanted = (pixels / size) * 360
  return STEPS.findLast((step) => step >= wanted) ?? 30
}
