/** An error or a remark in the page. */
import { link } from '../lib/address'
import { Failure, messageOf } from '../lib/api'
import { user } from '../lib/session'

/** An error. One of a missing right is a remark that tells which right it is, and leads to the user's own. */
export function ErrorMessage({ error }: { error: unknown }) {
  if (!error) return null
  if (error instanceof Failure && error.status === 403 && user.value !== null) return <MissingRight right={error.message.replace(/^forbidden: /, '')} />
  return (
    <p class="message is-error" role="alert">
      {messageOf(error)}
    </p>
  )
}

/** A remark about a right that the user lacks, with a link to the user's own. */
export function MissingRight({ right }: { right: string }) {
  return (
    <p class="message is-warning" role="alert">
      You lack the right to this: {right}. <a href={link(['user', user.value ?? ''])}>Your rights</a>
    </p>
  )
}
