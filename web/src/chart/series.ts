/** The columns of rows as series for a chart. */
import { attributes } from '../lib/json'

export const KINDS = ['Line', 'Bars', 'Points'] as const
export type ChartKind = (typeof KINDS)[number]

/** The maximum number of rows in a chart. */
export const MAX_ROWS = 10_000
/** Rows whose values tell what columns hold. */
const SAMPLE_ROWS = 200

/** The values along the x axis: numbers, seconds since 1970, or positions of texts. */
export interface Series {
  axis: 'number' | 'time' | 'text'
  xs: number[]
  /** The values of each column; `null` where a row has no number. */
  values: (number | null)[][]
  /** The text of each x on an axis of texts. */
  labels: string[]
  /** The position of each x's row. */
  rows: number[]
}

/** Returns the attributes of a row; `value` for a row that is no object. */
function cells(row: string): [string, string][] {
  return row.startsWith('{') ? attributes(row) : [['value', row]]
}

/** Returns the columns of rows, and those of them that have numbers. */
export function chartColumns(rows: string[]): { all: string[]; numeric: string[] } {
  const all = new Set<string>()
  const numeric = new Set<string>()
  for (const row of rows.slice(0, SAMPLE_ROWS)) {
    for (const [name, json] of cells(row)) {
      all.add(name)
      if (isNumber(json)) numeric.add(name)
    }
  }
  return { all: [...all], numeric: [...numeric] }
}

const isNumber = (json: string) => /^-?\d/.test(json)

/** Returns the seconds since 1970 of an ISO 8601 date in JSON, or `undefined` for anything else. */
function secondsOf(json: string): number | undefined {
  if (!/^"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d[^"]*)?)?"$/.test(json)) return undefined
  const milliseconds = Date.parse(JSON.parse(json) as string)
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}

/** Returns the series of columns over the column `x`; an empty name counts the rows. */
export function series(rows: string[], x: string, columns: string[]): Series {
  const parsed = rows.slice(0, MAX_ROWS).map((row) => new Map(cells(row)))
  const keys = parsed.map((row, index) => (x === '' ? String(index + 1) : (row.get(x) ?? 'null')))
  const axis = axisOf(keys)
  const xs = keys.map((json, index) => (axis === 'number' ? Number(json) : axis === 'time' ? (secondsOf(json) ?? 0) : index))
  const labels = axis === 'text' ? keys.map((json) => (json.startsWith('"') ? (JSON.parse(json) as string) : json)) : []
  // A chart has its values from left to right.
  const order = xs.map((_, index) => index).sort((left, right) => (xs[left] ?? 0) - (xs[right] ?? 0))
  const value = (json: string | undefined) => (json !== undefined && isNumber(json) ? Number(json) : null)
  return {
    axis,
    xs: order.map((index) => xs[index] as number),
    values: columns.map((name) => order.map((index) => value(parsed[index]?.get(name)))),
    labels,
    rows: order,
  }
}

function axisOf(keys: string[]): Series['axis'] {
  if (keys.every(isNumber)) return 'number'
  return keys.every((json) => secondsOf(json) !== undefined) ? 'time' : 'text'
}
