/** The databases of the server. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { actionColumn, ListPage } from '../component/ListPage'
import type { Column } from '../component/Table'
import { database, switchDatabase } from '../lib/address'
import { path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { databaseNames, loadDatabases, mayAdminister } from '../lib/session'

const name: Column<string> = {
  title: 'Name',
  cell: (name) => (
    <button type="button" class="link" onClick={() => switchDatabase(name)}>
      {name}
    </button>
  ),
  sort: (name) => name,
}

export function Databases() {
  const { error, reload } = useLoaded(loadDatabases, [])
  const [dropped, setDropped] = useState<string>()
  const drop = actionColumn<string>('Drop', (name) => (name === '_system' ? undefined : name), setDropped)
  return (
    <ListPage
      title="Databases"
      rows={databaseNames.value}
      error={error}
      onReload={reload}
      columns={mayAdminister.value ? [name, drop] : [name]}
      empty="There are no databases."
      create={mayAdminister.value ? { title: 'New database', dialog: (close) => <CreateDatabase onClose={close} /> } : undefined}
    >
      {dropped !== undefined && (
        <ConfirmAction
          title={`Drop ${dropped}`}
          verb="Drop the database"
          isDangerous
          call={{ method: 'DELETE', path: path`/_api/database/${dropped}`, database: '_system' }}
          onClose={() => setDropped(undefined)}
          onDone={() => (dropped === database.value ? switchDatabase('_system') : void loadDatabases())}
        >
          <p>The database and all of its collections will be removed.</p>
        </ConfirmAction>
      )}
    </ListPage>
  )
}

function CreateDatabase({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const call = name === '' ? null : ({ method: 'POST', path: '/_api/database', database: '_system', body: { name } } as const)
  return (
    <ConfirmAction title="New database" verb="Create" call={call} onClose={onClose} onDone={() => void loadDatabases()}>
      <Field title="Name" hint="The user who creates it becomes its administrator.">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
    </ConfirmAction>
  )
}
