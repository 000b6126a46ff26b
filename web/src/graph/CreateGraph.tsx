/** A dialog that creates a named graph. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'

const EMPTY = { collection: '', from: '', to: '' }
const list = (text: string) => text.split(',').map((one) => one.trim()).filter(Boolean)

export function CreateGraph({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState('')
  const [relations, setRelations] = useState([EMPTY])
  const isComplete = name !== '' && relations.every((one) => one.collection !== '' && one.from !== '' && one.to !== '')
  const edgeDefinitions = relations.map((one) => ({ collection: one.collection.trim(), from: list(one.from), to: list(one.to) }))
  const call = isComplete ? ({ method: 'POST', path: '/_api/gharial', body: { name, edgeDefinitions } } as const) : null
  const set = (index: number, change: Partial<typeof EMPTY>) => setRelations(relations.map((one, at) => (at === index ? { ...one, ...change } : one)))
  return (
    <ConfirmAction title="New graph" verb="Create" call={call} onClose={onClose} onDone={onDone}>
      <Field title="Name">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      {relations.map((relation, index) => (
        <div class="form-row" key={index}>
          <Field title="Edges">
            <input class="input" required placeholder="knows" value={relation.collection} onInput={(event) => set(index, { collection: event.currentTarget.value })} />
          </Field>
          <Field title="From">
            <input class="input" required placeholder="persons, firms" value={relation.from} onInput={(event) => set(index, { from: event.currentTarget.value })} />
          </Field>
          <Field title="To">
            <input class="input" required placeholder="persons" value={relation.to} onInput={(event) => set(index, { to: event.currentTarget.value })} />
          </Field>
        </div>
      ))}
      <p class="muted">Missing collections are created.</p>
      <button type="button" class="button" onClick={() => setRelations([...relations, EMPTY])}>
        Add an edge definition
      </button>
    </ConfirmAction>
  )
}
