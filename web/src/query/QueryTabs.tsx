/** The row of the tabs of queries. */
import { choose, close, current, open, queries } from './tabs'

export function QueryTabs() {
  return (
    <div class="tabs query-tabs">
      {queries.value.map((query) => (
        <span key={query.id} class="query-tab" aria-current={query === current.value ? 'true' : undefined}>
          <button type="button" class="tab" aria-pressed={query === current.value} onClick={() => choose(query)}>
            {query.running.value && <span class="running" aria-label="running" role="img" />}
            <span class="query-title">{query.title.value}</span>
          </button>
          {queries.value.length > 1 && (
            <button type="button" class="icon-button" aria-label={`Close ${query.title.value}`} onClick={() => close(query)}>
              ✕
            </button>
          )}
        </span>
      ))}
      <button type="button" class="icon-button" aria-label="New query" title="New query" onClick={() => open('')}>
        +
      </button>
    </div>
  )
}
