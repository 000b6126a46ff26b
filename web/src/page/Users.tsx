/** The users of the server. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { ListPage } from '../component/ListPage'
import type { Column } from '../component/Table'
import { go, link } from '../lib/address'
import { useLoaded } from '../lib/load'
import { ask, mayAdminister } from '../lib/session'

export interface User {
  user: string
  active: boolean
}

const load = async (signal: AbortSignal) => (await ask<{ result: User[] }>({ method: 'GET', path: '/_api/user', database: '_system' }, { signal })).result

const COLUMNS: Column<User>[] = [
  { title: 'Name', cell: (one) => <a href={link(['user', one.user])}>{one.user}</a>, sort: (one) => one.user },
  { title: 'Can sign in', width: 140, cell: (one) => (one.active ? 'yes' : 'no'), sort: (one) => Number(one.active) },
]

export function Users() {
  const { value, error, reload } = useLoaded(load, [])
  return (
    <ListPage
      title="Users"
      rows={value}
      error={error}
      onReload={reload}
      columns={COLUMNS}
      empty="There are no users."
      onOpen={(one) => go(['user', one.user])}
      create={mayAdminister.value ? { title: 'New user', dialog: (close) => <CreateUser onClose={close} /> } : undefined}
    />
  )
}

function CreateUser({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const call = name === '' ? null : ({ method: 'POST', path: '/_api/user', database: '_system', body: { user: name, passwd: password, active: true }, isSecret: true } as const)
  return (
    <ConfirmAction title="New user" verb="Create" call={call} onClose={onClose} onDone={() => go(['user', name])}>
      <Field title="Name">
        <input class="input" required autofocus autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field title="Password" hint="The user has no rights until you grant some.">
        <input class="input" type="password" autocomplete="new-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
      </Field>
    </ConfirmAction>
  )
}
