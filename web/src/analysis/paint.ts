/** Paints the drawn vertices by the values of a result. */
import type Graph from 'graphology'
import { groupsOf, groupText, type Kind, type Legend, NO_COLOUR, placeIn, rangeOf, scaleColour, sizeAt } from './colours'

/** The choices of the user. */
export interface Look {
  /** The column that colours vertices; empty for none. */
  column: string
  kind: Kind
  /** The column of the sizes; empty for none. */
  size: string
}

/** The values of a vertex by columns. */
export type Row = Record<string, unknown>

/**
 * Gives the vertices colours and sizes. `known` has the colours of groups, and gets those of new
 * ones. The result tells what the colours mean; there is none without colours.
 */
export function paintBy(graph: Graph, rows: Map<string, Row>, look: Look, known: Map<string, string>): Legend | undefined {
  const valuesOf = (column: string) => graph.mapNodes((node) => rows.get(node)?.[column])
  if (look.size) {
    const range = rangeOf(valuesOf(look.size), false)
    graph.forEachNode((node) => {
      const value = rows.get(node)?.[look.size]
      graph.setNodeAttribute(node, 'size', sizeAt(typeof value === 'number' ? placeIn(range, value) : 0))
    })
  }
  if (!look.column) return undefined
  const values = valuesOf(look.column)
  const missing = values.filter((value) => value === null || value === undefined).length
  const colour = (of: (value: unknown) => string) => graph.forEachNode((node) => graph.setNodeAttribute(node, 'color', of(rows.get(node)?.[look.column])))
  if (look.kind === 'Distinct colours') {
    const groups = groupsOf(values, known)
    colour((value) => known.get(groupText(value) ?? '') ?? NO_COLOUR)
    return { column: look.column, groups, missing }
  }
  const range = rangeOf(values, look.kind === 'Logarithmic scale')
  colour((value) => (typeof value === 'number' ? scaleColour(placeIn(range, value)) : NO_COLOUR))
  return { column: look.column, range, missing }
}
