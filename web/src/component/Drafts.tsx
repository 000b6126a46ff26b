/** The pages that have changes which are not saved. */
import { database } from '../lib/address'
import { drafts } from '../lib/drafts'

export function Drafts() {
  const own = drafts.value.filter((one) => one.database === database.value)
  if (own.length === 0) return null
  return (
    <section class="drafts" aria-label="Not saved">
      <p class="label">Not saved</p>
      {own.map((draft) => (
        <a key={draft.address} href={draft.address} title={draft.title}>
          <span class="who">{draft.title}</span>
        </a>
      ))}
    </section>
  )
}
