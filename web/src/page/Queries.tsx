/** Queries: the editor, its parameters, and the result. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { CopyCurl } from '../component/CopyCurl'
import { Editor } from '../component/Editor'
import { place } from '../lib/address'
import { BindParameters } from '../query/BindParameters'
import { completer } from '../query/completion'
import { loadHistory } from '../query/history'
import { HistoryDialog } from '../query/HistoryDialog'
import { Result } from '../query/Result'
import type { Query } from '../query/Query'
import { QueryTabs } from '../query/QueryTabs'
import { current, openFromAddress, restoreTabs } from '../query/tabs'

export function Queries() {
  useMemo(restoreTabs, [])
  const query = current.value
  const complete = useMemo(() => completer(() => query.bindNames.value), [query])
  const opened = useRef(place.peek())
  useEffect(() => {
    if (place.value !== opened.current) openFromAddress()
    opened.current = place.value
  }, [place.value])
  useEffect(() => void loadHistory().catch(() => {}), [])
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(() => query.running.value || query.parse(abort.signal), 300)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [query, query.text.value])
  return (
    <div class="query">
      <Toolbar query={query} />
      <div class="query-top">
        <section class="card query-editor" aria-label="Query">
          <QueryTabs />
          <Editor
            key={query.id}
            language="aql"
            label="AQL query"
            text={query.text}
            errors={query.marks.value}
            complete={complete}
            hint="FOR d IN collection FILTER … RETURN d"
            onRun={() => query.run()}
            onFormat={() => query.format()}
          />
        </section>
        <BindParameters key={query.id} query={query} />
      </div>
      <Result key={query.id} query={query} />
    </div>
  )
}

/** Begins or ends the mode in which changes of collections run the query again. */
const turnLive = async (query: Query) => (query.live.value ? query.live.value() : (await import('../query/live')).begin(query))

function Toolbar({ query }: { query: Query }) {
  useEffect(() => () => query.live.value?.(), [query])
  const [isHistory, setHistory] = useState(false)
  const isIdle = !query.running.value
  const call = { method: 'POST', path: '/_api/cursor', body: { query: query.text.value, bindVars: query.binds.value.values } } as const
  return (
    <div class="page-head">
      <h1>Queries</h1>
      {isIdle ? (
        <button type="button" class="button is-main" onClick={() => query.run()} title="Run (Ctrl+Enter)">
          Run
        </button>
      ) : (
        <button type="button" class="button is-danger" onClick={() => query.stop()}>
          Stop
        </button>
      )}
      <button type="button" class="button" disabled={!isIdle} onClick={() => query.explain()}>
        Explain
      </button>
      <button type="button" class="button" disabled={!isIdle} onClick={() => query.run(true)}>
        Profile
      </button>
      <button type="button" class="button" title="Format (Shift+Alt+F)" onClick={() => query.format()}>
        Format
      </button>
      <label class="check" title="Run again when its collections change">
        <input type="checkbox" checked={!!query.live.value} onChange={() => turnLive(query)} />
        Live
      </label>
      <span class="spring" />
      <button type="button" class="button" onClick={() => setHistory(true)}>
        History
      </button>
      <CopyCurl call={call} />
      {isHistory && <HistoryDialog onClose={() => setHistory(false)} />}
    </div>
  )
}
