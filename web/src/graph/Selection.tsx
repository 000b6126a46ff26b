/** The selected vertex or edge of a graph, and the actions on it. */
import type Graph from 'graphology'
import { useState } from 'preact/hooks'
import { link } from '../lib/address'
import { edgeCollections, type GraphDefinition } from './definition'
import { Change, CreateEdge, Remove } from './Edit'
import type { Document } from './load'

interface Properties {
  definition: GraphDefinition
  graph: Graph
  chosen: Document
  /** The collections whose documents the user may write. */
  mayWrite: Set<string>
  onChoose: (chosen: Document) => void
  onExpand: (id: string) => void
  onHide: (id: string) => void
  onAdded: (added: Document) => void
  onChanged: (changed: Document) => void
  onRemoved: (id: string) => void
}

/** Edges of a vertex that are listed. */
const MAX_EDGES = 50

export function Selection({ definition, graph, chosen, mayWrite, onChoose, onExpand, onHide, onAdded, onChanged, onRemoved }: Properties) {
  const [action, setAction] = useState<'change' | 'remove' | 'edge'>()
  const [collection = '', key = ''] = chosen._id.split('/')
  const isEdge = '_from' in chosen
  const kind = isEdge ? 'edge' : 'vertex'
  const edges = edgeCollections(definition, chosen._id).filter((one) => mayWrite.has(one))
  const close = () => setAction(undefined)
  return (
    <section aria-label={isEdge ? 'Selected edge' : 'Selected vertex'}>
      <h2 class="label">
        <a href={link(['collection', collection, 'documents', key])}>{chosen._id}</a>
      </h2>
      <div class="chips">
        {!isEdge && (
          <>
            <button type="button" class="button" onClick={() => onExpand(chosen._id)}>
              Show neighbours
            </button>
            <button type="button" class="button" onClick={() => onHide(chosen._id)}>
              Hide
            </button>
            <a class="button" href={link(['graph', definition.name], { start: chosen._id, depth: '2' })}>
              Start here
            </a>
          </>
        )}
        {!isEdge && edges.length > 0 && (
          <button type="button" class="button" onClick={() => setAction('edge')}>
            New edge
          </button>
        )}
        {mayWrite.has(collection) && (
          <>
            <button type="button" class="button" onClick={() => setAction('change')}>
              Change
            </button>
            <button type="button" class="button" onClick={() => setAction('remove')}>
              Remove
            </button>
          </>
        )}
      </div>
      <pre class="row-json">{JSON.stringify(chosen, null, 2)}</pre>
      {!isEdge && graph.hasNode(chosen._id) && <Edges graph={graph} vertex={chosen._id} onChoose={onChoose} />}
      {action === 'edge' && <CreateEdge graph={definition.name} collections={edges} from={chosen._id} vertices={graph.nodes()} onClose={close} onDone={onAdded} />}
      {action === 'change' && <Change graph={definition.name} kind={kind} id={chosen._id} onClose={close} onDone={onChanged} />}
      {action === 'remove' && <Remove graph={definition.name} kind={kind} id={chosen._id} onClose={close} onDone={() => onRemoved(chosen._id)} />}
    </section>
  )
}

/** The edges of a vertex: the way to them for the keyboard. */
function Edges({ graph, vertex, onChoose }: { graph: Graph; vertex: string; onChoose: (chosen: Document) => void }) {
  const edges = graph.edges(vertex).slice(0, MAX_EDGES)
  if (edges.length === 0) return null
  return (
    <>
      <h2 class="label">Edges</h2>
      {edges.map((edge) => (
        <button type="button" class="button is-quiet vertex-edge" key={edge} onClick={() => onChoose(graph.getEdgeAttribute(edge, 'document') as Document)}>
          {graph.source(edge) === vertex ? `→ ${graph.target(edge)}` : `← ${graph.source(edge)}`}
        </button>
      ))}
    </>
  )
}
