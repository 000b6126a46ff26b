/** The scripts of a service: one is chosen, gets an argument, and shows its result. */
import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { DefinitionField } from '../component/DefinitionField'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { number } from '../lib/format'
import { indent } from '../lib/json'
import { useLoaded } from '../lib/load'
import { ask, send } from '../lib/session'
import { pathOf } from './state'

export function Scripts({ mount }: { mount: string }) {
  const { value, error } = useLoaded((signal) => ask<Record<string, string>>({ method: 'GET', path: pathOf('scripts', mount) }, { signal }), [mount])
  const [chosen, setChosen] = useState('')
  const argument = useSignal('')
  const [failure, setFailure] = useState<unknown>()
  const [result, setResult] = useState<{ text: string; milliseconds: number }>()
  const [isBusy, setBusy] = useState(false)
  const names = Object.entries(value ?? {})
  const name = names.some(([one]) => one === chosen) ? chosen : (names[0]?.[0] ?? '')
  const run = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    setResult(undefined)
    const started = performance.now()
    try {
      const text = await send({ method: 'POST', path: pathOf(`scripts/${encodeURIComponent(name)}`, mount), text: argument.value.trim() || undefined })
      setResult({ text, milliseconds: performance.now() - started })
    } catch (thrown) {
      setFailure(thrown)
    }
    setBusy(false)
  }
  return (
    <>
      <ErrorMessage error={error} />
      {value && names.length === 0 && <p class="muted">The service has no scripts.</p>}
      {names.length > 0 && (
        <form class="card card-body" aria-label="Run a script" onSubmit={run}>
          <Field title="Script">
            <Select value={name} options={names} onChange={setChosen} />
          </Field>
          <DefinitionField title="Argument" text={argument} note="JSON, or nothing." />
          <div class="side-row">
            <button type="submit" class="button is-main" disabled={isBusy}>
              Run
            </button>
          </div>
          <ErrorMessage error={failure} />
          <div role="status">
            {result && (
              <>
                <p class="muted">{number(Math.round(result.milliseconds))} ms</p>
                <pre class="row-json" tabIndex={0} aria-label="Result">
                  {result.text === '' ? 'null' : indent(result.text)}
                </pre>
              </>
            )}
          </div>
        </form>
      )}
    </>
  )
}
