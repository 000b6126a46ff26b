/** The databases of the server. */
import { useState } from 'preact/hooks'
import { Act } from '../component/Act'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { database, switchDatabase } from '../lib/address'
import { path } from '../lib/call'
import { useLoaded } from '../lib/load'
import { databaseNames, loadDatabases } from '../lib/session'

export function Databases() {
  const { error } = useLoaded(loadDatabases, [])
  const [isCreating, setCreating] = useState(false)
  const [dropped, setDropped] = useState<string>()
  const columns: Column<string>[] = [
    {
      title: 'Name',
      cell: (name) => (
        <button type="button" class="link" onClick={() => switchDatabase(name)}>
          {name}
        </button>
      ),
      sort: (name) => name,
    },
    {
      title: 'Actions',
      width: 96,
      cell: (name) =>
        name !== '_system' && (
          <button type="button" class="button" aria-label={`Drop ${name}`} onClick={() => setDropped(name)}>
            Drop
          </button>
        ),
    },
  ]
  return (
    <div class="page">
      <div class="page-head">
        <h1>Databases</h1>
        <span class="spring" />
        <button type="button" class="button is-main" onClick={() => setCreating(true)}>
          New database
        </button>
      </div>
      <ErrorMessage error={error} />
      <div class="card fill">
        <SortedTable label="Databases" rows={databaseNames.value} columns={columns} />
      </div>
      {isCreating && <CreateDatabase onClose={() => setCreating(false)} />}
      {dropped !== undefined && (
        <Act
          title={`Drop ${dropped}`}
          verb="Drop the database"
          isDangerous
          call={{ method: 'DELETE', path: path`/_api/database/${dropped}`, database: '_system' }}
          onClose={() => setDropped(undefined)}
          onDone={() => (dropped === database.value ? switchDatabase('_system') : void loadDatabases())}
        >
          <p>The database and all of its collections will be removed.</p>
        </Act>
      )}
    </div>
  )
}

function CreateDatabase({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const call = name === '' ? null : ({ method: 'POST', path: '/_api/database', database: '_system', body: { name } } as const)
  return (
    <Act title="New database" verb="Create" call={call} onClose={onClose} onDone={() => void loadDatabases()}>
      <Field title="Name" hint="Its administrator is the user who creates it.">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
    </Act>
  )
}
