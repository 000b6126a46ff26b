/** The named graphs of the database. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { actionColumn, ListPage } from '../component/ListPage'
import type { Column } from '../component/Table'
import { CreateGraph } from '../graph/CreateGraph'
import { type GraphDefinition, vertexCollections } from '../graph/definition'
import { ExampleGraphs } from '../graph/ExampleGraphs'
import { database, go, link } from '../lib/address'
import { path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'

const load = async (signal: AbortSignal) => (await ask<{ graphs: GraphDefinition[] }>({ method: 'GET', path: '/_api/gharial' }, { signal })).graphs

const edgesOf = (graph: GraphDefinition) => graph.edgeDefinitions.map((one) => one.collection).join(', ')
const verticesOf = (graph: GraphDefinition) => vertexCollections(graph).join(', ')

const COLUMNS: Column<GraphDefinition>[] = [
  { title: 'Name', cell: (one) => <a href={link(['graph', one.name])}>{one.name}</a>, sort: (one) => one.name },
  { title: 'Edges', cell: edgesOf, sort: edgesOf },
  { title: 'Vertices', cell: verticesOf, sort: verticesOf },
]

export function Graphs() {
  const { value, error, reload } = useLoaded(load, [database.value])
  const [dropped, setDropped] = useState<GraphDefinition>()
  const [withCollections, setWithCollections] = useState(false)
  const [areExamples, setExamples] = useState(false)
  const drop = actionColumn<GraphDefinition>('Drop', (one) => one.name, setDropped)
  return (
    <ListPage
      title="Graphs"
      rows={value}
      error={error}
      onReload={reload}
      columns={mayChangeDatabase.value ? [...COLUMNS, drop] : COLUMNS}
      empty="There are no named graphs yet."
      onOpen={(one) => go(['graph', one.name])}
      create={mayChangeDatabase.value ? { title: 'New graph', dialog: (close) => <CreateGraph onClose={close} onDone={reload} /> } : undefined}
      fields={
        mayChangeDatabase.value && (
          <button type="button" class="button" onClick={() => setExamples(true)}>
            Example graphs
          </button>
        )
      }
    >
      {areExamples && <ExampleGraphs present={(value ?? []).map((one) => one.name)} onClose={() => setExamples(false)} onDone={reload} />}
      {dropped && (
        <ConfirmAction title={`Drop ${dropped.name}`} verb="Drop the graph" isDangerous call={{ method: 'DELETE', path: path`/_api/gharial/${dropped.name}` + (withCollections ? '?dropCollections=true' : '') }} onClose={() => setDropped(undefined)} onDone={reload}>
          <p>The definition of the graph will be removed.</p>
          <label class="check">
            <input type="checkbox" checked={withCollections} onChange={() => setWithCollections(!withCollections)} />
            Also drop its collections, unless another graph uses them
          </label>
        </ConfirmAction>
      )}
    </ListPage>
  )
}
