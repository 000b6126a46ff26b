/** The layout of a graph, computed in a worker so that the page stays quick. */
import type Graph from 'graphology'
import type { Done, Task } from './layout.worker'
import workerAddress from './layout.worker?worker&url'

let policy: { createScriptURL(text: string): unknown } | undefined

/** Milliseconds for which a layout goes on. */
const MAX_MILLISECONDS = 12_000

/** Moves all vertices at once, so that the picture is drawn once. Pinned ones stay. */
function move(graph: Graph, position: Map<string, number>, places: Float64Array) {
  const moved = (node: string, attributes: Record<string, unknown>) => {
    const at = position.get(node)
    if (at === undefined || attributes.isPinned) return attributes
    return { ...attributes, x: places[2 * at], y: places[2 * at + 1] }
  }
  graph.updateEachNodeAttributes(moved, { attributes: ['x', 'y'] })
}

/**
 * Returns the address of the worker. The policy of the page lets no text become a script, unless a
 * named policy of Trusted Types has made it.
 */
function scriptAddress(): string {
  const text = new URL(workerAddress, import.meta.url).href
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(text: string): string }): { createScriptURL(text: string): unknown } } }).trustedTypes
  policy ??= types?.createPolicy('layout', { createScriptURL: (text) => text })
  return (policy?.createScriptURL(text) ?? text) as string
}

/** Lays a graph out and moves its vertices as the layout goes on. The result stops it. */
export function layOut(graph: Graph, onEnd: () => void): () => void {
  const worker = new Worker(scriptAddress(), { type: 'module' })
  const nodes = graph.nodes()
  const position = new Map(nodes.map((node, index) => [node, index]))
  const places = new Float64Array(nodes.flatMap((node) => [graph.getNodeAttribute(node, 'x'), graph.getNodeAttribute(node, 'y')]))
  const edges = new Uint32Array(graph.mapEdges((_, __, from, to) => [position.get(from) ?? 0, position.get(to) ?? 0]).flat())
  const end = Date.now() + MAX_MILLISECONDS
  let frame = 0
  const stop = () => {
    cancelAnimationFrame(frame)
    worker.terminate()
    onEnd()
  }
  worker.onmessage = ({ data }: MessageEvent<Done>) => {
    move(graph, position, data.places)
    if (data.isAtRest || Date.now() > end) stop()
    // A small graph has its next places at once. The page is drawn before it gets them.
    else frame = requestAnimationFrame(() => worker.postMessage(null))
  }
  worker.postMessage({ places, edges } satisfies Task)
  return stop
}
