/** Named graphs, as the server describes them. */

export interface EdgeDefinition {
  collection: string
  from: string[]
  to: string[]
}

export interface GraphDefinition {
  name: string
  edgeDefinitions: EdgeDefinition[]
  orphanCollections: string[]
}

/** Returns the collections of a graph's vertices, each once. */
export function vertexCollections(graph: GraphDefinition): string[] {
  return [...new Set([...graph.edgeDefinitions.flatMap((one) => [...one.from, ...one.to]), ...graph.orphanCollections])]
}

/** Returns the collections of edges that may begin at a vertex. */
export function edgeCollections(graph: GraphDefinition, vertex: string): string[] {
  const [collection = ''] = vertex.split('/')
  return graph.edgeDefinitions.filter((one) => one.from.includes(collection)).map((one) => one.collection)
}
