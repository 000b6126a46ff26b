/** A prompt for JavaScript, which the server runs where it allows that. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { CopyCurl } from '../component/CopyCurl'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { database } from '../lib/address'
import { messageOf } from '../lib/api'
import { useLoaded } from '../lib/load'
import { exchange } from '../lib/session'
import { begin, change, type Exchange, exchanges, inputs } from '../shell/history'
import { endSession, run } from '../shell/session'
import { refusal, trimmed } from '../shell/words'
import '../style/shell.css'

/** An empty program does nothing, and tells if others are allowed. */
const probe = async (signal: AbortSignal) => refusal((await exchange({ method: 'POST', path: '/_admin/execute' }, { quiet: true, signal })).status)

export function Shell() {
  const { value: refused, error } = useLoaded(probe, [database.value])
  return (
    <div class="page">
      <PageHead title="Shell">
        <span class="spring" />
        {exchanges.value.length > 0 && (
          <>
            <button type="button" class="button" onClick={() => (exchanges.value = [])}>
              Clear
            </button>
            <button type="button" class="button" title="Forget all variables" onClick={startAnew}>
              New session
            </button>
          </>
        )}
      </PageHead>
      <ErrorMessage error={error} />
      {refused && <p class="message is-warning">{refused}</p>}
      {refused === '' && <Prompt />}
    </div>
  )
}

function Prompt() {
  const [text, setText] = useState('')
  /** Steps back in the history; 0 is the text that is typed. */
  const [back, setBack] = useState(0)
  const draft = useRef('')
  const end = useRef<HTMLDivElement>(null)
  const all = exchanges.value
  useEffect(() => void inputs.load().catch(() => {}), [])
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [all])
  const step = (by: number) => {
    const past = inputs.value.value
    const next = Math.max(0, Math.min(past.length, back + by))
    if (back === 0) draft.current = text
    setBack(next)
    setText(next === 0 ? draft.current : (past.at(-next) ?? ''))
  }
  const submit = () => {
    if (text.trim() === '') return
    void submitted(text)
    setText('')
    setBack(0)
  }
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    const { selectionStart: at, value } = event.currentTarget
    const isFirst = !value.slice(0, at).includes('\n')
    const isLast = !value.slice(at).includes('\n')
    if (event.key === 'Enter' && !event.shiftKey) submit()
    else if (event.key === 'ArrowUp' && isFirst) step(1)
    else if (event.key === 'ArrowDown' && isLast) step(-1)
    else return
    event.preventDefault()
  }
  return (
    <div class="card fill shell-page">
      <div class="shell-log" role="log" aria-label="Output" tabIndex={0}>
        {all.length === 0 && <p class="muted">Enter runs the input, Shift+Enter starts a new line, Up and Down browse the history. `db` is the database, `_` the last value. Variables persist until the session ends.</p>}
        {all.map((one) => (
          <ExchangeView key={one.id} exchange={one} />
        ))}
        <div ref={end} />
      </div>
      <div class="shell-prompt">
        <span aria-hidden="true">{database.value}&gt;</span>
        <textarea class="input" aria-label="JavaScript" rows={Math.min(12, text.split('\n').length)} spellcheck={false} autocapitalize="none" placeholder="db._collections()" value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
        <button type="button" class="button is-main" onClick={submit}>
          Run
        </button>
      </div>
    </div>
  )
}

/** Ends the session, and what it still runs. */
function startAnew() {
  for (const one of exchanges.value) one.abort.abort()
  exchanges.value = []
  endSession(database.value)
}

async function submitted(input: string) {
  const exchange = begin(input)
  const { signal } = exchange.abort
  try {
    change(exchange, { outcome: await run(input, signal, (call) => change(exchange, { call })) })
  } catch (error) {
    change(exchange, { outcome: { printed: '', exception: signal.aborted ? 'The program was stopped.' : messageOf(error) } })
  }
}

function ExchangeView({ exchange: { input, call, outcome, abort } }: { exchange: Exchange }) {
  return (
    <section class="shell-exchange">
      <div class="side-row">
        <pre class="shell-input">{input}</pre>
        {call && <CopyCurl call={call} />}
      </div>
      {!outcome && (
        <div class="side-row">
          <span class="running">Running …</span>
          <button type="button" class="button" onClick={() => abort.abort()}>
            Stop
          </button>
        </div>
      )}
      {outcome?.isNew && <p class="muted">The session had expired. This is a new one; earlier variables are gone.</p>}
      {outcome && outcome.printed !== '' && <pre>{outcome.printed}</pre>}
      {outcome?.shown !== undefined && <pre class="shell-result">{trimmed(outcome.shown)}</pre>}
      {outcome?.exception !== undefined && <pre class="shell-error">{outcome.exception}</pre>}
    </section>
  )
}
