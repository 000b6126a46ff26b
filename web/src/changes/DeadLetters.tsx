/** The deliveries of a webhook that failed for good. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { type Call, path } from '../lib/api'
import { number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase, send } from '../lib/session'
import type { DeadLetter, Webhook } from './webhook'

/** Dead letters that are listed. */
const MOST = 20

export function DeadLetters({ hook, onChanged }: { hook: Webhook; onChanged: () => void }) {
  const address = `${path`/_api/changes/webhooks/${hook.name}`}/dead-letters`
  const load = async (signal: AbortSignal) => (await ask<{ deadLetters: DeadLetter[] }>({ method: 'GET', path: address }, { quiet: true, signal })).deadLetters
  const { value = [], error } = useLoaded(load, [hook.name, hook.deadLetters])
  const [failure, setFailure] = useState<unknown>()
  const act = (call: Call) => send(call).then(onChanged, setFailure)
  return (
    <section aria-label="Dead letters">
      <div class="bulk">
        <strong>{hook.deadLetters === 1 ? '1 dead letter' : `${number(hook.deadLetters)} dead letters`}</strong>
        <span class="spring" />
        {mayChangeDatabase.value && (
          <>
            <button type="button" class="button" onClick={() => act({ method: 'POST', path: `${address}/retry` })}>
              Send again
            </button>
            <button type="button" class="button" onClick={() => act({ method: 'DELETE', path: address })}>
              Discard
            </button>
          </>
        )}
      </div>
      <ErrorMessage error={error ?? failure} />
      <div class="preview" tabIndex={0} role="region" aria-label="List of dead letters">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Changes</th>
              <th scope="col">Attempts</th>
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            {value.slice(0, MOST).map((one) => (
              <tr key={one.key}>
                <td>{one.time?.replace('T', ' ')}</td>
                <td>{one.changes}</td>
                <td>{one.attempts}</td>
                <td title={one.error}>{one.error}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
