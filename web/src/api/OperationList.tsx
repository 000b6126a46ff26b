/** A list of operations by their families. */
import { useMemo } from 'preact/hooks'
import { idOf, type Operation } from './operations'

interface Properties {
  operations: Operation[]
  chosen: Operation | undefined
  linkOf: (id: string) => string
}

export function OperationList({ operations, chosen, linkOf }: Properties) {
  const families = useMemo(() => byFamily(operations), [operations])
  return (
    <nav class="card api-list" aria-label="Operations">
      {[...families].map(([family, members]) => (
        <section key={family}>
          <h2 class="label">{family || '/'}</h2>
          {members.map((one) => (
            <a key={idOf(one)} href={linkOf(idOf(one))} aria-current={one === chosen ? 'page' : undefined}>
              <span class="api-method">{one.method}</span>
              <span>
                <code>{one.path}</code>
                <small>{one.summary}</small>
              </span>
            </a>
          ))}
        </section>
      ))}
    </nav>
  )
}

function byFamily(operations: Operation[]): Map<string, Operation[]> {
  const families = new Map<string, Operation[]>()
  for (const one of operations) families.set(one.family, [...(families.get(one.family) ?? []), one])
  return families
}
