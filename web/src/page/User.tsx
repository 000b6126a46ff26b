/** One user: the password, and the rights on databases and collections. Users see themselves. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { go } from '../lib/address'
import { path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask, databaseNames, mayAdminister, send, user as signedIn } from '../lib/session'
import { ChangePassword } from '../user/ChangePassword'
import { Rights } from '../user/Rights'
import type { User as Account } from './Users'

export function User({ name }: { name: string }) {
  const address = path`/_api/user/${name}`
  const { value, error, reload } = useLoaded((signal) => ask<Account>({ method: 'GET', path: address, database: '_system' }, { signal }), [name])
  const [failure, setFailure] = useState<unknown>()
  const [action, setAction] = useState<'password' | 'remove'>()
  const [note, setNote] = useState('')
  const close = () => setAction(undefined)
  const isAdministrator = mayAdminister.value
  const setActive = (active: boolean) => send({ method: 'PATCH', path: address, database: '_system', body: { active } }).then(reload, setFailure)
  return (
    <div class="page">
      <PageHead title={name} above={isAdministrator ? ['users', 'Users'] : undefined}>
        {value && isAdministrator && (
          <label class="check">
            <input type="checkbox" checked={value.active} onChange={() => setActive(!value.active)} />
            Can sign in
          </label>
        )}
        <span class="muted" role="status">
          {note}
        </span>
        <span class="spring" />
        {(isAdministrator || (name === signedIn.value && databaseNames.value.length > 0)) && (
          <button type="button" class="button" onClick={() => setAction('password')}>
            Change password
          </button>
        )}
        {name !== 'root' && isAdministrator && (
          <button type="button" class="button" onClick={() => setAction('remove')}>
            Remove
          </button>
        )}
      </PageHead>
      <ErrorMessage error={error ?? failure} />
      {!error && <Rights user={name} mayChange={isAdministrator} />}
      {action === 'password' && <ChangePassword user={name} onClose={close} onDone={() => setNote('The password is changed.')} />}
      {action === 'remove' && (
        <ConfirmAction title={`Remove ${name}`} verb="Remove the user" isDangerous call={{ method: 'DELETE', path: address, database: '_system' }} onClose={close} onDone={() => go(['users'])}>
          <p>The user and all their rights will be removed.</p>
        </ConfirmAction>
      )}
    </div>
  )
}
