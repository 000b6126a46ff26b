/** The row of the tabs of queries. */
import { useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import type { Query } from './Query'
import { choose, close, current, open, queries } from './tabs'

export function QueryTabs() {
  const [closed, setClosed] = useState<Query>()
  return (
    <div class="tabs query-tabs">
      {queries.value.map((query) => (
        <span key={query.id} class="query-tab" aria-current={query === current.value ? 'true' : undefined}>
          <button type="button" class="tab" aria-pressed={query === current.value} onClick={() => choose(query)}>
            {query.running.value && <span class="running" aria-label="running" role="img" />}
            <span class="query-title">{query.title.value}</span>
          </button>
          {queries.value.length > 1 && (
            <button type="button" class="icon-button" aria-label={`Close ${query.title.value}`} onClick={() => (query.isUnsaved.value && !query.running.value ? setClosed(query) : close(query))}>
              ✕
            </button>
          )}
        </span>
      ))}
      <button type="button" class="icon-button" aria-label="New query" title="New query" onClick={() => open('')}>
        +
      </button>
      {closed && <Unsaved query={closed} onClose={() => setClosed(undefined)} />}
    </div>
  )
}

/** Asks before a query goes that neither ran nor was saved. */
function Unsaved({ query, onClose }: { query: Query; onClose: () => void }) {
  const act = () => {
    onClose()
    close(query)
  }
  return (
    <Dialog title="Close the query" onClose={onClose}>
      <div class="dialog-body">
        <p>The query has changes that have not run. They will be lost.</p>
        <footer class="dialog-foot">
          <span class="spring" />
          <button type="button" class="button" onClick={onClose}>
            Keep
          </button>
          <button type="button" class="button is-danger" onClick={act}>
            Close without saving
          </button>
        </footer>
      </div>
    </Dialog>
  )
}
