/** The shape at a place on the screen. */
import type { Point } from './projection'
import type { Shape } from './shapes'

/** Pixels around a place within which a point or a line counts as there. */
const REACH = 8

/** A shape as it is on the screen. */
export interface Drawn {
  shape: Shape
  lines: Point[][]
}

/** Returns the nearest shape. Points and lines go before areas, which may lie below them. */
export function hit(drawn: Drawn[], at: Point): Shape | undefined {
  let nearest: Shape | undefined
  let least = REACH
  for (const { shape, lines } of drawn) {
    if (shape.kind === 'area') continue
    const distance = distanceTo(lines[0] ?? [], at)
    if (distance < least) {
      nearest = shape
      least = distance
    }
  }
  return nearest ?? drawn.findLast(({ shape, lines }) => shape.kind === 'area' && isInside(lines, at))?.shape
}

/** Returns the distance of a place from a line, or from its only point. */
function distanceTo(line: Point[], at: Point): number {
  let least = Number.POSITIVE_INFINITY
  for (const [index, from] of line.entries()) least = Math.min(least, toSegment(from, line[index + 1] ?? from, at))
  return least
}

function toSegment(from: Point, to: Point, at: Point): number {
  const [x, y] = [to.x - from.x, to.y - from.y]
  const length = x * x + y * y
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((at.x - from.x) * x + (at.y - from.y) * y) / length))
  return Math.hypot(at.x - from.x - share * x, at.y - from.y - share * y)
}

/** Returns true if a place is within the first ring and in none of the others: an odd number of sides is to its right. */
function isInside(rings: Point[][], at: Point): boolean {
  let inside = false
  for (const ring of rings) {
    for (const [index, from] of ring.entries()) {
      const to = ring[(index + 1) % ring.length] ?? from
      if (from.y > at.y !== to.y > at.y && at.x < ((to.x - from.x) * (at.y - from.y)) / (to.y - from.y) + from.x) inside = !inside
    }
  }
  return inside
}
