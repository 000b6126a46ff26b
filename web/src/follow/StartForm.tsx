/** The form of a source: it is examined first, and followed then. */
import { useState } from 'preact/hooks'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { number } from '../lib/format'
import { ask } from '../lib/session'
import { Problems } from './Problems'
import { EMPTY, type Fields, type Probed, sourceOf } from './state'

const KINDS = [
  ['migration', 'Take it over, then cut over'],
  ['follower', 'Follow it, until this server is promoted'],
] as const

export function StartForm({ onStarted }: { onStarted: () => void }) {
  const [fields, setFields] = useState<Fields>(EMPTY)
  const [probed, setProbed] = useState<Probed>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const change = (changed: Partial<Fields>) => {
    setFields({ ...fields, ...changed })
    setProbed(undefined)
  }
  const call = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    await act().catch(setError)
    setBusy(false)
  }
  const examine = (event: Event) => {
    event.preventDefault()
    void call(async () => setProbed(await ask<Probed>({ method: 'POST', path: '/_api/follow/probe', database: '_system', body: sourceOf(fields), isSecret: true })))
  }
  const start = () =>
    call(async () => {
      await ask({ method: 'PUT', path: '/_api/follow', database: '_system', body: { ...sourceOf(fields), kind: fields.kind }, isSecret: true })
      onStarted()
    })
  return (
    <form class="card follow" aria-label="Source" onSubmit={examine}>
      <p>This server follows no other one. It can copy the databases of an ArangoDB or Persea server that runs, and follow its log.</p>
      <Inputs fields={fields} onChange={change} />
      <ErrorMessage error={error} />
      <p>
        <button type="submit" class={probed?.canFollow ? 'button' : 'button is-main'} disabled={isBusy}>
          Examine
        </button>{' '}
        {probed?.canFollow && (
          <button type="button" class="button is-main" disabled={isBusy} onClick={start}>
            Start
          </button>
        )}
      </p>
      {probed && <Found probed={probed} />}
    </form>
  )
}

function Inputs({ fields, onChange }: { fields: Fields; onChange: (changed: Partial<Fields>) => void }) {
  return (
    <div class="follow-fields">
      <Field title="Address" hint="As this server reaches it.">
        <input class="input mono" required placeholder="http+tcp://HOST:8529" value={fields.endpoint} onInput={(event) => onChange({ endpoint: event.currentTarget.value })} />
      </Field>
      <Field title="Purpose">
        <Select value={fields.kind} options={KINDS} onChange={(kind) => onChange({ kind })} />
      </Field>
      <Field title="User" hint="One who may administer the database _system.">
        <input class="input" autocomplete="off" value={fields.username} onInput={(event) => onChange({ username: event.currentTarget.value })} />
      </Field>
      <Field title="Password">
        <input class="input" type="password" autocomplete="off" value={fields.password} onInput={(event) => onChange({ password: event.currentTarget.value })} />
      </Field>
      <Field title="Databases" hint="Names with commas between them; empty for all.">
        <input class="input" value={fields.databases} onInput={(event) => onChange({ databases: event.currentTarget.value })} />
      </Field>
      <Field title="Certificate file" hint="On this server; empty accepts any certificate.">
        <input class="input mono" value={fields.caFile} onInput={(event) => onChange({ caFile: event.currentTarget.value })} />
      </Field>
    </div>
  )
}

function Found({ probed }: { probed: Probed }) {
  const { source, databases } = probed
  return (
    <section aria-label="Found">
      <p class={probed.canFollow ? 'message' : 'message is-error'} role="status">
        {source.product} {source.version}, {source.role}, {source.engine}: {probed.canFollow ? 'this server can follow it.' : `this server cannot follow it: ${probed.obstacle?.errorMessage ?? 'see the problems'}`}
      </p>
      <ul>
        {databases.map((one) => (
          <li key={one.name}>
            <b>{one.name}</b>: {number(one.collections)} collections, {number(one.documents)} documents
          </li>
        ))}
      </ul>
      <Problems problems={probed.problems} />
    </section>
  )
}
