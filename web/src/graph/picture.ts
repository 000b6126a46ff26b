/** The picture of a graph: vertices and edges with their colours and labels. */
import Graph from 'graphology'
import type { Document, Edge, Part } from './load'

/** Colours that can be told apart on light and dark, for collections or values. */
export const COLOURS = ['#4c8f3f', '#3f7fbf', '#c9772b', '#a04fa8', '#c2405f', '#3b9a95', '#8a7a2f', '#6b6fd1', '#7d7d7d', '#b05a3c']

export interface Style {
  /** The attribute that labels a vertex; the key if it is empty. */
  label: string
  /** The attribute that colours a vertex; the collection if it is empty. */
  colour: string
  /** The attribute that labels an edge; none if it is empty. */
  edge: string
}

const at = (document: Document, path: string) => path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | null)?.[part], document)

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value) ?? '')

/** Returns the value that colours a vertex. */
export function groupOf(document: Document, style: Style): string {
  return style.colour ? textOf(at(document, style.colour)) : (document._id.split('/')[0] ?? '')
}

/** Adds a part to a graph. Vertices that are there keep their places. */
export function add(graph: Graph, { vertices, edges }: Part) {
  const size = Math.sqrt(vertices.length + graph.order) * 10
  const near = new Map(edges.flatMap((edge) => [[edge._from, edge._to] as const, [edge._to, edge._from] as const]))
  for (const document of vertices) {
    if (graph.hasNode(document._id)) continue
    const neighbour = near.get(document._id)
    const other = neighbour !== undefined && graph.hasNode(neighbour) ? graph.getNodeAttributes(neighbour) : undefined
    const place = () => (Math.random() - 0.5) * (other ? 10 : size)
    graph.addNode(document._id, { x: (other?.x ?? 0) + place(), y: (other?.y ?? 0) + place(), document })
  }
  for (const edge of edges) {
    if (graph.hasEdge(edge._id) || !graph.hasNode(edge._from) || !graph.hasNode(edge._to)) continue
    graph.addDirectedEdgeWithKey(edge._id, edge._from, edge._to, { document: edge })
  }
}

/** Gives every vertex its label, size and colour. The result tells the colours of the groups. */
export function paint(graph: Graph, style: Style): Map<string, string> {
  const groups = new Map<string, string>()
  graph.forEachNode((node, { document }) => {
    const group = groupOf(document as Document, style)
    if (!groups.has(group)) groups.set(group, COLOURS[groups.size % COLOURS.length] as string)
    const label = style.label ? textOf(at(document as Document, style.label)) : (document as Document)._key
    const size = Math.min(14, 4 + Math.sqrt(graph.degree(node)))
    graph.mergeNodeAttributes(node, { label: label.slice(0, 60), size, color: groups.get(group) })
  })
  graph.forEachEdge((edge, { document }) => {
    const label = style.edge ? textOf(at(document as Document, style.edge)).slice(0, 60) : null
    graph.setEdgeAttribute(edge, 'label', label)
  })
  return groups
}

/** Removes a vertex, its edges, and what hangs on it alone. */
export function hide(graph: Graph, node: string) {
  const neighbours = graph.neighbors(node)
  graph.dropNode(node)
  for (const one of neighbours) if (one !== node && graph.degree(one) === 0) graph.dropNode(one)
}

/** Puts the new version of a vertex or an edge in place of the old one. An edge may have other ends. */
export function update(graph: Graph, document: Document) {
  if (graph.hasNode(document._id)) graph.setNodeAttribute(document._id, 'document', document)
  if (!graph.hasEdge(document._id)) return
  graph.dropEdge(document._id)
  add(graph, { vertices: [], edges: [document as Edge] })
}

/** Takes a vertex and its edges, or an edge, out of the picture. */
export function drop(graph: Graph, id: string) {
  if (graph.hasNode(id)) graph.dropNode(id)
  if (graph.hasEdge(id)) graph.dropEdge(id)
}
