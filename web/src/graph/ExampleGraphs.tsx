/** A dialog that creates example graphs. */
import { useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import { ErrorMessage } from '../component/Message'
import { path } from '../lib/api'
import { send } from '../lib/session'
import { documentsOf, type ExampleGraph, EXAMPLES } from './examples'

/** Creates a graph with its collections, and fills them. Errors: 1925 if the graph is there. */
async function create(example: ExampleGraph) {
  const { name, edgeDefinitions } = example
  await send({ method: 'POST', path: '/_api/gharial', body: { name, edgeDefinitions } })
  for (const [collection, body] of documentsOf(example)) await send({ method: 'POST', path: path`/_api/document/${collection}`, body })
}

export function ExampleGraphs({ present, onClose, onDone }: { present: string[]; onClose: () => void; onDone: () => void }) {
  const [busy, setBusy] = useState('')
  const [error, setError] = useState<unknown>()
  const act = async (example: ExampleGraph) => {
    setBusy(example.name)
    setError(undefined)
    await create(example).catch(setError)
    setBusy('')
    onDone()
  }
  return (
    <Dialog title="Example graphs" onClose={onClose}>
      <div class="dialog-body">
        <ErrorMessage error={error} />
        {EXAMPLES.map((example) => (
          <section class="side-row" key={example.name}>
            <span class="who">
              <b>{example.name}</b>
              <br />
              <span class="muted">{example.about}</span>
            </span>
            <button type="button" class="button" aria-label={`Create ${example.name}`} disabled={busy !== '' || present.includes(example.name)} onClick={() => void act(example)}>
              {present.includes(example.name) ? 'Created' : 'Create'}
            </button>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
