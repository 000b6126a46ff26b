/** The things that do not come over as they are. */
import type { Problem } from './state'

export function Problems({ problems }: { problems: Problem[] }) {
  if (problems.length === 0) return null
  return (
    <section aria-label="Problems">
      <h2 class="label">Problems</h2>
      <ul class="follow-problems">
        {problems.map(({ what, where, effect }) => (
          <li key={`${what} ${where}`}>
            <b>{what}</b> {where && <span class="mono">{where}</span>} {effect}
          </li>
        ))}
      </ul>
    </section>
  )
}
