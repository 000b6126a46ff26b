/** The statements in AQL that run an algorithm. */
import type { Algorithm } from './algorithm'

/** Rows that the table has. */
export const MAX_ROWS = 100

const CALL = 'FOR row IN GRAPH_ALGORITHM(@algorithm, @graph, @parameters, @options)'

/** All rows, for modes that return one. */
export const ALL = `${CALL}\n  RETURN row`

/** The rows of some vertices. */
export const OF_DRAWN = `${CALL}\n  FILTER row.vertex IN @drawn\n  RETURN row`

/** Returns the value that rows are sorted by: that of the first column with a number. */
function key({ columns, byVertex }: Algorithm): string {
  if (byVertex && columns.length === 1) return `row.${columns[0]}`
  return `FIRST([${columns.map((column) => `row.${column}`).join(', ')}][* FILTER IS_NUMBER(CURRENT)])`
}

/** Returns the statement for the first rows. */
export function firstRows(algorithm: Algorithm): string {
  return `${CALL}\n  SORT ${key(algorithm)} DESC\n  LIMIT ${MAX_ROWS}\n  RETURN row`
}

/** Returns the statement for the first rows and those of the drawn vertices, which computes them once. */
export function firstAndDrawn(algorithm: Algorithm): string {
  return `${CALL}\n  SORT row.vertex IN @drawn DESC, ${key(algorithm)} DESC\n  LIMIT @most\n  RETURN row`
}
