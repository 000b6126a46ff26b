/** Computes layouts by forces (ForceAtlas2), some rounds for each message. */
import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'

/** The vertices' places, x and y of each, and the edges, the positions of both ends of each. */
export interface Task {
  places: Float64Array
  edges: Uint32Array
}

export interface Done {
  places: Float64Array
  /** True if the vertices hardly moved. */
  isAtRest: boolean
}

const ROUNDS = 10
/** Movement of a vertex in a message, as a share of the picture, that counts as rest. */
const REST = 0.0005

let graph = new Graph({ multi: true })

function begin({ places, edges }: Task) {
  graph = new Graph({ multi: true })
  for (let at = 0; at < places.length / 2; at += 1) graph.addNode(at, { x: places[2 * at], y: places[2 * at + 1] })
  for (let at = 0; at < edges.length / 2; at += 1) graph.addEdge(edges[2 * at], edges[2 * at + 1])
}

function placesNow(): Float64Array {
  return new Float64Array(graph.mapNodes((_, { x, y }) => [x as number, y as number]).flat())
}

onmessage = ({ data }: MessageEvent<Task | null>) => {
  if (data) begin(data)
  const before = placesNow()
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 500 }
  forceAtlas2.assign(graph, { iterations: ROUNDS, settings })
  const places = placesNow()
  const size = Math.max(...[0, 1].map((axis) => spread(places, axis)), 1e-9)
  const moved = places.reduce((sum, value, index) => sum + Math.abs(value - (before[index] ?? 0)), 0)
  const isAtRest = moved / places.length / size < REST
  postMessage({ places, isAtRest } satisfies Done)
}

function spread(places: Float64Array, axis: number): number {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (let at = axis; at < places.length; at += 2) {
    least = Math.min(least, places[at] as number)
    most = Math.max(most, places[at] as number)
  }
  return most - least
}
