/** An error or a remark in the page. */
import { messageOf } from '../lib/api'

export function ErrorMessage({ error }: { error: unknown }) {
  if (!error) return null
  return (
    <p class="message is-error" role="alert">
      {messageOf(error)}
    </p>
  )
}
