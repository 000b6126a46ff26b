/** The vertices and edges in rows of any shape, such as paths. */
import type { Document, Edge, Part } from './load'

/** Rows that are looked at; more would not fit into a picture. */
const MAX_ROWS = 3000

/** Returns true if rows may have edges, without parsing them. */
export function mayHaveEdges(rows: string[]): boolean {
  return rows.slice(0, 50).some((row) => row.includes('"_from"') && row.includes('"_to"'))
}

/** Returns all vertices and edges in the rows. Ends of edges that are no rows have their `_id` only. */
export function partOf(rows: string[]): Part {
  const vertices = new Map<string, Document>()
  const edges = new Map<string, Edge>()
  for (const row of rows.slice(0, MAX_ROWS)) collect(JSON.parse(row), vertices, edges)
  for (const edge of edges.values()) {
    for (const id of [edge._from, edge._to]) {
      if (!vertices.has(id)) vertices.set(id, { _id: id, _key: id.slice(id.indexOf('/') + 1) })
    }
  }
  return { vertices: [...vertices.values()], edges: [...edges.values()] }
}

function collect(value: unknown, vertices: Map<string, Document>, edges: Map<string, Edge>) {
  if (typeof value !== 'object' || value === null) return
  const { _id: id, _from: from, _to: to } = value as Partial<Edge>
  if (typeof from === 'string' && typeof to === 'string') {
    const name = id ?? `${from} ${to}`
    edges.set(name, { ...(value as Edge), _id: name })
    return
  }
  if (typeof id === 'string') {
    vertices.set(id, value as Document)
    return
  }
  for (const part of Object.values(value)) collect(part, vertices, edges)
}
