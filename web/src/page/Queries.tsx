/** Queries: the editor, its parameters, and the result. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { CopyCurl } from '../component/CopyCurl'
import { Editor } from '../component/Editor'
import { place } from '../lib/address'
import { Binds } from '../query/Binds'
import { completer } from '../query/completion'
import { loadHistory } from '../query/history'
import { HistoryDialog } from '../query/HistoryDialog'
import { Result } from '../query/Result'
import { binds, bindNames, errors, explain, openFromAddress, parse, run, running, stop, text } from '../query/state'
import '../style/query.css'

export function Queries() {
  const complete = useMemo(() => completer(() => bindNames.value), [])
  useEffect(openFromAddress, [place.value])
  useEffect(() => void loadHistory().catch(() => {}), [])
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(() => running.value || parse(abort.signal), 300)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text.value])
  return (
    <div class="query">
      <Toolbar />
      <div class="query-top">
        <section class="card query-editor" aria-label="Query">
          <Editor
            language="aql"
            label="AQL query"
            text={text}
            errors={errors.value}
            complete={complete}
            hint="FOR d IN collection FILTER … RETURN d"
            onRun={() => run()}
          />
        </section>
        <Binds />
      </div>
      <Result />
    </div>
  )
}

function Toolbar() {
  const [isHistory, setHistory] = useState(false)
  const isIdle = !running.value
  const call = { method: 'POST', path: '/_api/cursor', body: { query: text.value, bindVars: binds.value.values } } as const
  return (
    <div class="page-head">
      <h1>Queries</h1>
      {isIdle ? (
        <button type="button" class="button is-main" onClick={() => run()} title="Run (Ctrl+Enter)">
          Run
        </button>
      ) : (
        <button type="button" class="button is-danger" onClick={() => stop()}>
          Stop
        </button>
      )}
      <button type="button" class="button" disabled={!isIdle} onClick={() => explain()}>
        Explain
      </button>
      <button type="button" class="button" disabled={!isIdle} onClick={() => run(true)}>
        Profile
      </button>
      <span class="spring" />
      <button type="button" class="button" onClick={() => setHistory(true)}>
        History
      </button>
      <CopyCurl call={call} />
      {isHistory && <HistoryDialog onClose={() => setHistory(false)} />}
    </div>
  )
}
