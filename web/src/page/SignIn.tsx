/** Signing in with a name and a password, or at an issuer of OpenID Connect. */
import { useEffect, useState } from 'preact/hooks'
import icon from '../icon.svg'
import { ErrorMessage } from '../component/Message'
import { Failure } from '../lib/api'
import { type Issuer, issuers } from '../lib/openid'
import { signIn, signInAt, signInError } from '../lib/session'

export function SignIn() {
  const [error, setError] = useState<unknown>(signInError.peek())
  const [others, setOthers] = useState<Issuer[]>([])
  const [isBusy, setBusy] = useState(false)
  const act = async (event: Event) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    try {
      await signIn(String(fields.get('name')), String(fields.get('password')))
    } catch (thrown) {
      const isWrong = thrown instanceof Failure && thrown.status === 401
      setError(isWrong ? new Error('Wrong user name or password.') : thrown)
      setBusy(false)
    }
  }
  useEffect(() => {
    signInError.value = undefined
    // Without an answer there are no buttons, and the form still works.
    issuers().then(setOthers, () => {})
  }, [])
  const leave = async (id: string) => {
    setBusy(true)
    try {
      await signInAt(id)
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <form class="card" onSubmit={act}>
        <h1 class="brand">
          <img src={icon} alt="" />
          Persea
        </h1>
        <label class="field">
          <span>User</span>
          <input class="input" name="name" autocomplete="username" autocapitalize="none" spellcheck={false} required autofocus />
        </label>
        <label class="field">
          <span>Password</span>
          <input class="input" name="password" type="password" autocomplete="current-password" />
        </label>
        <ErrorMessage error={error} />
        <button class="button is-main" type="submit" disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
        {others.map(({ id, name }) => (
          <button key={id} class="button" type="button" disabled={isBusy} onClick={() => leave(id)}>
            Sign in with {name}
          </button>
        ))}
      </form>
    </main>
  )
}
