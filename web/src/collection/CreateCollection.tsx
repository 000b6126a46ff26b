/** A dialog that creates a collection. */
import { useState } from 'preact/hooks'
import { Act } from '../component/Act'
import { Field } from '../component/Field'

interface Properties {
  onClose: () => void
  onDone: (name: string) => void
}

export function CreateCollection({ onClose, onDone }: Properties) {
  const [name, setName] = useState('')
  const [type, setType] = useState('2')
  const [keys, setKeys] = useState('traditional')
  const [waitForSync, setWaitForSync] = useState(false)
  const body = { name, type: Number(type), keyOptions: { type: keys }, waitForSync }
  const call = name === '' ? null : ({ method: 'POST', path: '/_api/collection', body } as const)
  return (
    <Act title="New collection" verb="Create" call={call} onClose={onClose} onDone={() => onDone(name)}>
      <Field title="Name">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field title="Type">
        <select class="input" value={type} onChange={(event) => setType(event.currentTarget.value)}>
          <option value="2">Documents</option>
          <option value="3">Edges</option>
        </select>
      </Field>
      <Field title="Keys that the server makes">
        <select class="input" value={keys} onChange={(event) => setKeys(event.currentTarget.value)}>
          <option value="traditional">traditional: increasing numbers</option>
          <option value="autoincrement">autoincrement: 1, 2, 3</option>
          <option value="uuid">uuid: random</option>
          <option value="padded">padded: sorted by time</option>
        </select>
      </Field>
      <label class="check">
        <input type="checkbox" checked={waitForSync} onChange={() => setWaitForSync(!waitForSync)} />
        Wait until writes are on the disk
      </label>
    </Act>
  )
}
