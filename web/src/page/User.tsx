/** One user: the password, and the rights on databases and collections. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { go } from '../lib/address'
import { path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask, send } from '../lib/session'
import { Rights } from '../user/Rights'
import type { User as Account } from './Users'

export function User({ name }: { name: string }) {
  const address = path`/_api/user/${name}`
  const { value, error, reload } = useLoaded((signal) => ask<Account>({ method: 'GET', path: address, database: '_system' }, { signal }), [name])
  const [failure, setFailure] = useState<unknown>()
  const [action, setAction] = useState<'password' | 'remove'>()
  const [password, setPassword] = useState('')
  const close = () => setAction(undefined)
  const setActive = (active: boolean) => send({ method: 'PATCH', path: address, database: '_system', body: { active } }).then(reload, setFailure)
  return (
    <div class="page">
      <PageHead title={name} above={['users', 'Users']}>
        {value && (
          <label class="check">
            <input type="checkbox" checked={value.active} onChange={() => setActive(!value.active)} />
            Can sign in
          </label>
        )}
        <span class="spring" />
        <button type="button" class="button" onClick={() => setAction('password')}>
          Change password
        </button>
        {name !== 'root' && (
          <button type="button" class="button" onClick={() => setAction('remove')}>
            Remove
          </button>
        )}
      </PageHead>
      <ErrorMessage error={error ?? failure} />
      <Rights user={name} />
      {action === 'password' && (
        <ConfirmAction title={`Password of ${name}`} verb="Change" call={{ method: 'PATCH', path: address, database: '_system', body: { passwd: password }, isSecret: true }} onClose={close} onDone={() => setPassword('')}>
          <Field title="New password">
            <input class="input" type="password" autofocus autocomplete="new-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
          </Field>
        </ConfirmAction>
      )}
      {action === 'remove' && (
        <ConfirmAction title={`Remove ${name}`} verb="Remove the user" isDangerous call={{ method: 'DELETE', path: address, database: '_system' }} onClose={close} onDone={() => go(['users'])}>
          <p>The user and all their rights will be removed.</p>
        </ConfirmAction>
      )}
    </div>
  )
}
