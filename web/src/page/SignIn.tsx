/** Signing in with a name and a password. */
import { useState } from 'preact/hooks'
import icon from '../icon.svg'
import { ErrorMessage } from '../component/Message'
import { Failure } from '../lib/api'
import { signIn } from '../lib/session'

export function SignIn() {
  const [error, setError] = useState<unknown>()
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
      </form>
    </main>
  )
}
