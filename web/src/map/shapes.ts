/** The places and areas in rows: GeoJSON anywhere in them, and pairs of latitude and longitude. */

/** Longitude and latitude in degrees. */
export type Position = [number, number]

export interface Shape {
  kind: 'point' | 'line' | 'area'
  /** Lines; of an area its rings, the outer one first. A point is a line of one position. */
  lines: Position[][]
  /** The position of the row. */
  row: number
}

/** The maximum number of rows, shapes and positions on a map. */
export const MAX_ROWS = 10_000
const MAX_POSITIONS = 400_000
const MAX_DEPTH = 6

/** Returns true if rows may have places, without parsing them. */
export function mayHavePlaces(rows: string[]): boolean {
  return rows.slice(0, 50).some((row) => /"coordinates"|"lat(itude)?"/.test(row))
}

/** Returns the shapes of all rows. */
export function shapesOf(rows: string[]): Shape[] {
  const found: Shape[] = []
  let positions = 0
  for (const [row, text] of rows.slice(0, MAX_ROWS).entries()) {
    const before = found.length
    collect(JSON.parse(text), row, 0, found)
    for (const shape of found.slice(before)) positions += shape.lines.reduce((sum, line) => sum + line.length, 0)
    if (positions > MAX_POSITIONS) break
  }
  return found
}

type Fields = Record<string, unknown>

function collect(value: unknown, row: number, depth: number, found: Shape[]) {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const one of value) collect(one, row, depth + 1, found)
    return
  }
  const fields = value as Fields
  if (addGeometry(fields, row, found)) return
  const [latitude, longitude] = [fields.latitude ?? fields.lat, fields.longitude ?? fields.lng ?? fields.lon]
  if (isPosition([longitude, latitude])) found.push({ kind: 'point', lines: [[[longitude as number, latitude as number]]], row })
  for (const one of Object.values(fields)) collect(one, row, depth + 1, found)
}

/** Adds the shapes of a geometry. Returns false for anything else. */
function addGeometry({ type, coordinates }: Fields, row: number, found: Shape[]): boolean {
  const add = (kind: Shape['kind'], lines: unknown[]) => {
    const valid = lines.filter(isLine)
    if (valid.length > 0) found.push({ kind, lines: valid.map((line) => line.map(([x, y]) => [x, y])), row })
  }
  if (typeof type !== 'string' || !Array.isArray(coordinates)) return false
  switch (type) {
    case 'Point':
      add('point', [[coordinates]])
      return true
    case 'MultiPoint':
      for (const one of coordinates) add('point', [[one]])
      return true
    case 'LineString':
      add('line', [coordinates])
      return true
    case 'MultiLineString':
      for (const one of coordinates) add('line', [one])
      return true
    case 'Polygon':
      add('area', coordinates)
      return true
    case 'MultiPolygon':
      for (const one of coordinates) if (Array.isArray(one)) add('area', one)
      return true
    default:
      return false
  }
}

function isLine(line: unknown): line is Position[] {
  return Array.isArray(line) && line.length > 0 && line.every(isPosition)
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length >= 2 && isDegrees(value[0], 360) && isDegrees(value[1], 90)
}

const isDegrees = (value: unknown, most: number) => typeof value === 'number' && Math.abs(value) <= most
