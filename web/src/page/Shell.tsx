/** A prompt for JavaScript, which the server runs where it allows that. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { CopyCurl } from '../component/CopyCurl'
import { ErrorMessage } from '../component/Message'
import { database } from '../lib/address'
import { messageOf } from '../lib/call'
import { useLoaded } from '../lib/load'
import { ask, exchange } from '../lib/session'
import { begin, end, type Exchange, exchanges, inputs } from '../shell/history'
import { callOf, type Outcome, refusal, shortCallOf, trimmed } from '../shell/program'
import '../style/shell.css'

/** An empty program does nothing, and tells if others are allowed. */
const probe = async (signal: AbortSignal) => refusal((await exchange({ method: 'POST', path: '/_admin/execute' }, { quiet: true, signal })).status)

export function Shell() {
  const { value: refused, error } = useLoaded(probe, [database.value])
  return (
    <div class="page">
      <div class="page-head">
        <h1>Shell</h1>
        <span class="spring" />
        {exchanges.value.length > 0 && (
          <button type="button" class="button" onClick={() => (exchanges.value = [])}>
            Clear
          </button>
        )}
      </div>
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
    void run(text)
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
        {all.length === 0 && <p class="muted">Enter runs, Shift+Enter begins a line, Up and Down go through earlier inputs. `db` is the database. Each input runs on its own, so variables do not stay.</p>}
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

async function run(input: string) {
  const exchange = begin(input)
  const { signal } = exchange.abort
  try {
    end(exchange, await ask<Outcome>(callOf(input), { signal }))
  } catch (error) {
    end(exchange, { printed: [], error: signal.aborted ? 'The program was stopped.' : messageOf(error) })
  }
}

function ExchangeView({ exchange: { input, outcome, abort } }: { exchange: Exchange }) {
  return (
    <section class="shell-exchange">
      <div class="side-row">
        <pre class="shell-input">{input}</pre>
        <CopyCurl call={shortCallOf(input)} />
      </div>
      {!outcome && (
        <div class="side-row">
          <span class="running">Running …</span>
          <button type="button" class="button" onClick={() => abort.abort()}>
            Stop
          </button>
        </div>
      )}
      {outcome && outcome.printed.length > 0 && <pre>{outcome.printed.join('\n')}</pre>}
      {outcome?.shown !== undefined && <pre class="shell-result">{trimmed(outcome.shown)}</pre>}
      {outcome?.error !== undefined && <pre class="shell-error">{outcome.error}</pre>}
    </section>
  )
}
