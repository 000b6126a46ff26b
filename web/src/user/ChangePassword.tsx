/** A dialog that changes the password of a user. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { type Call, path } from '../lib/api'
import { mayAdminister, signIn, user as own } from '../lib/session'

/** Users change their own password in a database that they may use; administrators change every one. */
export function ChangePassword({ user, onClose, onDone }: { user: string; onClose: () => void; onDone: () => void }) {
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const isSame = password === repeated
  const call: Call | null = isSame ? { method: 'PATCH', path: path`/_api/user/${user}`, database: mayAdminister.value ? '_system' : undefined, body: { passwd: password }, isSecret: true } : null
  // A new password ends the token of this page too.
  const done = () => {
    if (user === own.value) signIn(user, password).then(onDone, onDone)
    else onDone()
  }
  return (
    <ConfirmAction title={`Password of ${user}`} verb="Change" call={call} onClose={onClose} onDone={done}>
      <Field title="New password">
        <input class="input" type="password" autofocus autocomplete="new-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
      </Field>
      <Field title="The same again" hint={isSame || repeated === '' ? undefined : 'The passwords differ.'}>
        <input class="input" type="password" autocomplete="new-password" value={repeated} onInput={(event) => setRepeated(event.currentTarget.value)} />
      </Field>
      {password === '' && <p class="muted">An empty password lets everybody sign in as this user.</p>}
    </ConfirmAction>
  )
}
