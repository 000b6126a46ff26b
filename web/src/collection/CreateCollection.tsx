/** A dialog that creates a collection. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { Select } from '../component/Select'

const TYPES = [
  ['2', 'Documents'],
  ['3', 'Edges'],
] as const
const KEYS = [
  ['traditional', 'traditional: increasing numbers'],
  ['autoincrement', 'autoincrement: 1, 2, 3'],
  ['uuid', 'uuid: random'],
  ['padded', 'padded: sorted by time'],
] as const

interface Properties {
  onClose: () => void
  onDone: (name: string) => void
}

export function CreateCollection({ onClose, onDone }: Properties) {
  const [name, setName] = useState('')
  const [type, setType] = useState<(typeof TYPES)[number][0]>('2')
  const [keys, setKeys] = useState<(typeof KEYS)[number][0]>('traditional')
  const [waitForSync, setWaitForSync] = useState(false)
  const body = { name, type: Number(type), keyOptions: { type: keys }, waitForSync }
  const call = name === '' ? null : ({ method: 'POST', path: '/_api/collection', body } as const)
  return (
    <ConfirmAction title="New collection" verb="Create" call={call} onClose={onClose} onDone={() => onDone(name)}>
      <Field title="Name">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field title="Type">
        <Select value={type} options={TYPES} onChange={setType} />
      </Field>
      <Field title="Generated keys">
        <Select value={keys} options={KEYS} onChange={setKeys} />
      </Field>
      <label class="check">
        <input type="checkbox" checked={waitForSync} onChange={() => setWaitForSync(!waitForSync)} />
        Wait until writes are on disk
      </label>
    </ConfirmAction>
  )
}
