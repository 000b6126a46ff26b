/** The dialog that makes or changes a webhook. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import { type Call, messageOf, path } from '../lib/api'
import { CollectionChoice } from './CollectionChoice'
import { bodyOf, EMPTY, type Fields, fieldsOf, FORMATS, type Webhook } from './webhook'

interface Properties {
  /** The webhook to change; a new one without it. */
  hook?: Webhook
  onClose: () => void
  onDone: () => void
}

/** Returns the request, or the mistake of a field. */
function requestOf(fields: Fields, hook: Webhook | undefined): { call: Call | null; mistake?: string } {
  if (fields.name === '' || fields.url === '') return { call: null }
  try {
    const body = bodyOf(fields, !hook)
    const isSecret = fields.secret !== '' || fields.headers.trim() !== ''
    if (!hook) return { call: { method: 'POST', path: '/_api/changes/webhooks', body, isSecret } }
    return { call: { method: 'PATCH', path: path`/_api/changes/webhooks/${hook.name}`, body, isSecret } }
  } catch (error) {
    return { call: null, mistake: messageOf(error) }
  }
}

export function WebhookForm({ hook, onClose, onDone }: Properties) {
  const [fields, setFields] = useState<Fields>(hook ? fieldsOf(hook) : EMPTY)
  const set = (changed: Partial<Fields>) => setFields((old) => ({ ...old, ...changed }))
  const { call, mistake } = requestOf(fields, hook)
  const of = (name: Exclude<keyof Fields, 'collections'>) => ({ class: 'input', autocomplete: 'off', value: fields[name], onInput: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }) })
  return (
    <ConfirmAction title={hook ? `Change ${hook.name}` : 'New webhook'} verb={hook ? 'Change' : 'Create'} call={call} onClose={onClose} onDone={onDone}>
      {!hook && <Field title="Name"><input {...of('name')} required autofocus /></Field>}
      <Field title="URL" hint="A public address over https, or one that the operator of the server allows.">
        <input {...of('url')} type="url" required placeholder="https://example.com/hook" />
      </Field>
      <Field title="Secret" hint={hook ? 'Signs deliveries. An empty field keeps the present one.' : 'Signs deliveries: whsec_ and 24 to 64 random bytes in Base64.'}>
        <input {...of('secret')} type="password" />
      </Field>
      <div class="field">
        <span>Collections</span>
        <CollectionChoice chosen={fields.collections} onChange={(collections) => set({ collections })} />
      </div>
      <Field title="Filter" hint="An AQL expression over operation, collection, document and before.">
        <input {...of('filter')} placeholder="document.total > @least" />
      </Field>
      <Field title="Bind parameters"><input {...of('bindVars')} placeholder='{"least": 100}' /></Field>
      <div class="hook-fields">
        <Field title="Format">
          <Select value={fields.format} options={FORMATS} onChange={(format) => set({ format })} />
        </Field>
        {!hook && (
          <Field title="Begin">
            <Select value={fields.since} options={[['now', 'from now on'], ['earliest', 'with the oldest change']]} onChange={(since) => set({ since })} />
          </Field>
        )}
        <Field title="Changes of one delivery"><input {...of('batchSize')} type="number" placeholder="100" /></Field>
        <Field title="Seconds to collect them"><input {...of('batchWait')} placeholder="0" /></Field>
        <Field title="Attempts"><input {...of('maxAttempts')} type="number" placeholder="10" /></Field>
      </div>
      <Field title="Further headers" hint={hook ? 'An empty field keeps the present ones, which are not shown.' : undefined}>
        <textarea {...of('headers')} rows={2} placeholder="x-tenant: 7" />
      </Field>
      {mistake && <p class="message is-error">{mistake}</p>}
    </ConfirmAction>
  )
}
