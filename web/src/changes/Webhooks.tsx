/** The webhooks of the database. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { database, go, link } from '../lib/address'
import { Failure } from '../lib/api'
import { number } from '../lib/format'
import { useEvery, useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'
import type { Webhook } from './webhook'
import { WebhookDialog } from './WebhookDialog'
import { WebhookForm } from './WebhookForm'

const load = async (signal: AbortSignal) => (await ask<{ webhooks: Webhook[] }>({ method: 'GET', path: '/_api/changes/webhooks' }, { quiet: true, signal })).webhooks

export const chipOf = ({ state }: Webhook) => <span class={state === 'retrying' || state === 'failed' ? 'chip is-bad' : 'chip'}>{state}</span>

const COLUMNS: Column<Webhook>[] = [
  { title: 'Name', width: 180, cell: (one) => <a href={link(['changes', 'webhooks', one.name])}>{one.name}</a>, sort: (one) => one.name },
  { title: 'URL', cell: (one) => one.url, sort: (one) => one.url },
  { title: 'Collections', width: 180, cell: (one) => one.collections?.join(', ') ?? 'all' },
  { title: 'State', width: 110, cell: chipOf, sort: (one) => one.state },
  { title: 'Lag', width: 100, isNumber: true, cell: (one) => number(one.lag), sort: (one) => one.lag },
  { title: 'Dead letters', width: 120, isNumber: true, cell: (one) => number(one.deadLetters), sort: (one) => one.deadLetters },
]

export function Webhooks({ opened }: { opened: string }) {
  const { value, error, reload } = useLoaded(load, [database.value])
  const [form, setForm] = useState<{ hook?: Webhook }>()
  useEvery(2000, reload)
  const isAbsent = error instanceof Failure && error.status === 404
  const hook = value?.find((one) => one.name === opened)
  return (
    <>
      {mayChangeDatabase.value && !isAbsent && (
        <div class="page-head">
          <span class="spring" />
          <button type="button" class="button is-main" onClick={() => setForm({})}>
            New webhook
          </button>
        </div>
      )}
      {isAbsent ? <p class="message is-warning">This server has no webhooks.</p> : <ErrorMessage error={error} />}
      <div class="card fill">
        {value?.length === 0 ? <p class="empty">There are no webhooks. A webhook sends changes to a URL.</p> : <SortedTable label="Webhooks" columns={COLUMNS} rows={value ?? []} onOpen={(one) => go(['changes', 'webhooks', one.name])} />}
      </div>
      {form && <WebhookForm hook={form.hook} onClose={() => setForm(undefined)} onDone={reload} />}
      {hook && !form && <WebhookDialog key={hook.name} hook={hook} onClose={() => go(['changes', 'webhooks'])} onChanged={reload} onEdit={() => setForm({ hook })} />}
    </>
  )
}
