/** One operation: its right, its parameters, and a form that sends it. */
import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { CopyCurl } from '../component/CopyCurl'
import { Editor } from '../component/Editor'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { number } from '../lib/format'
import { indent } from '../lib/json'
import { exchange, mayAdminister, mayChangeDatabase } from '../lib/session'
import { callOf, type Operation } from './operations'

const ACCESS: Record<string, string> = {
  open: 'Requires no authentication.',
  nothing: 'Any user may call it.',
  use: 'Requires read access to the database. Collections have their own access rights.',
  write: 'Requires write access to the database.',
  inspect: "Requires access to the server's internals.",
  administer: 'Requires a server administrator.',
  service: 'The service decides who may call it.',
}

/** Characters of a reply that are shown. */
const MAX_CHARACTERS = 100_000

interface Reply {
  status: number
  text: string
  milliseconds: number
}

export function OperationView({ operation }: { operation: Operation }) {
  const { method, path, summary, parameters, access } = operation
  const [values, setValues] = useState<Record<string, string>>({})
  const body = useSignal(operation.body)
  const [reply, setReply] = useState<Reply>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const call = callOf(operation, values, body.value)
  const missing = parameters.find((one) => one.in === 'path' && one.name !== 'rest' && !values[one.name])
  const send = async (event?: Event) => {
    event?.preventDefault()
    if (missing) return
    setBusy(true)
    setError(undefined)
    setReply(undefined)
    const started = performance.now()
    try {
      setReply({ ...(await exchange(call)), milliseconds: performance.now() - started })
    } catch (thrown) {
      setError(thrown)
    }
    setBusy(false)
  }
  return (
    <section class="card card-body api-operation" aria-label="Operation">
      <h2 class="mono">
        {method} {path}
      </h2>
      <p>{summary}</p>
      <p class="muted">
        {ACCESS[access] ?? access} {operation.isOfSystem && 'Only in the database _system.'}
      </p>
      <form class="form" onSubmit={send}>
        {parameters.length > 0 && (
          <div class="form-row">
            {parameters.map(({ name, in: place }) => (
              <Field key={`${place} ${name}`} title={place === 'path' ? name : place === 'query' ? `?${name}` : `${name}:`}>
                <input class="input" required={place === 'path' && name !== 'rest'} value={values[name] ?? ''} onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })} />
              </Field>
            ))}
          </div>
        )}
        {method !== 'GET' && (
          <div class="field">
            <span>Body</span>
            <div class="card definition">
              <Editor language="json" label="Body" text={body} onRun={maySend(operation) ? send : undefined} />
            </div>
          </div>
        )}
        <div class="side-row">
          {maySend(operation) ? (
            <button type="submit" class={method === 'DELETE' ? 'button is-danger' : 'button is-main'} disabled={isBusy}>
              Send
            </button>
          ) : (
            <span class="muted">You have read-only access, so this page does not send it.</span>
          )}
          <CopyCurl call={call} />
        </div>
      </form>
      <ErrorMessage error={error} />
      <div role="status">{reply && <ReplyView reply={reply} />}</div>
    </section>
  )
}

/** Returns true if the user may do more than read. The server checks rights anyway. */
function maySend({ method, access }: Operation): boolean {
  if (method === 'GET' || access === 'service') return true
  return access === 'administer' ? mayAdminister.value : mayChangeDatabase.value
}

function ReplyView({ reply: { status, text, milliseconds } }: { reply: Reply }) {
  const shown = /^\s*[[{]/.test(text) && text.length <= MAX_CHARACTERS ? indent(text) : text.slice(0, MAX_CHARACTERS)
  return (
    <>
      <p class="side-row">
        <span class={status < 400 ? 'chip' : 'chip is-bad'}>{status}</span>
        <span class="muted">
          {number(Math.round(milliseconds))} ms, {number(text.length)} characters
        </span>
      </p>
      <pre class="row-json api-reply" tabIndex={0} aria-label="Reply">
        {shown}
      </pre>
    </>
  )
}
