/** Names that the form of an analysis suggests. */
import type Graph from 'graphology'

/** Vertices and edges that are looked at, and vertices that are suggested. */
const SAMPLE = 50
const MAX_VERTICES = 1000

/** Returns the drawn vertices, and the attributes of some of the documents. */
export function attributesOf(graph: Graph): { vertices: string[]; ofVertices: string[]; ofEdges: string[] } {
  const vertices = graph.nodes()
  const names = (documents: Record<string, unknown>[]) => [...new Set(documents.flatMap((one) => Object.keys(one)))].filter((name) => !name.startsWith('_'))
  const some = <Value,>(all: Value[]) => all.slice(0, SAMPLE)
  return {
    vertices: vertices.slice(0, MAX_VERTICES),
    ofVertices: names(some(vertices).map((one) => graph.getNodeAttribute(one, 'document') as Record<string, unknown>)),
    ofEdges: names(some(graph.edges()).map((one) => graph.getEdgeAttribute(one, 'document') as Record<string, unknown>)),
  }
}
