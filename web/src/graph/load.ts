/** Vertices and edges from the server. */
import { path } from '../lib/api'
import { ask } from '../lib/session'
import type { GraphDefinition } from './definition'

export interface Document {
  _id: string
  _key: string
  [attribute: string]: unknown
}

export interface Edge extends Document {
  _from: string
  _to: string
}

/** A part of a graph. */
export interface Part {
  vertices: Document[]
  edges: Edge[]
}

export async function loadDefinition(name: string, signal: AbortSignal): Promise<GraphDefinition> {
  return (await ask<{ graph: GraphDefinition }>({ method: 'GET', path: path`/_api/gharial/${name}` }, { signal })).graph
}

async function query<Row>(query: string, bindVars: Record<string, unknown>): Promise<Row[]> {
  const body = { query, bindVars, batchSize: 20_000 }
  return (await ask<{ result: Row[] }>({ method: 'POST', path: '/_api/cursor', body })).result
}

/** Returns the vertices around a start and the edges on the way to them. */
export async function around(graph: string, start: string, depth: number, limit: number): Promise<Part> {
  const aql = `FOR v, e IN 0..@depth ANY @start GRAPH @graph
  OPTIONS { order: "bfs", uniqueVertices: "global" }
  LIMIT @limit
  RETURN { v, e }`
  const rows = await query<{ v: Document | null; e: Edge | null }>(aql, { graph, start, depth, limit })
  return { vertices: rows.flatMap(({ v }) => v ?? []), edges: rows.flatMap(({ e }) => e ?? []) }
}

/** Returns edges of every collection of edges with their vertices, as a first look at a graph. */
export async function sample(definition: GraphDefinition, limit: number): Promise<Part> {
  const aql = `FOR e IN @@edges
  LIMIT @limit
  RETURN { e, from: DOCUMENT(e._from), to: DOCUMENT(e._to) }`
  const each = Math.ceil(limit / Math.max(1, definition.edgeDefinitions.length))
  type Row = { e: Edge; from: Document | null; to: Document | null }
  const rows = await Promise.all(definition.edgeDefinitions.map((one) => query<Row>(aql, { '@edges': one.collection, limit: each })))
  const vertices = new Map<string, Document>()
  for (const { from, to } of rows.flat()) for (const one of [from, to]) if (one) vertices.set(one._id, one)
  return { vertices: [...vertices.values()], edges: rows.flat().map((row) => row.e) }
}

/** Returns the present versions of documents; those that are gone are left out. */
export function documents(ids: string[]): Promise<Document[]> {
  return query<Document>('FOR id IN @ids\n  LET found = DOCUMENT(id)\n  FILTER found != null\n  RETURN found', { ids })
}
