/** The subscriptions of the database: positions that the server keeps for readers. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { actionColumn } from '../component/ListPage'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { database } from '../lib/address'
import { type Call, path } from '../lib/api'
import { number } from '../lib/format'
import { useEvery, useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'
import { CollectionChoice } from './CollectionChoice'
import { FORMATS } from './webhook'

interface Subscription {
  name: string
  user: string | null
  collections: string[] | null
  filter: string | null
  format: string
  token: string
  lag: number
  created: string
  consumers: { name: string; slots: number; pending: number; seen: string }[]
}

const load = async (signal: AbortSignal) => (await ask<{ subscriptions: Subscription[] }>({ method: 'GET', path: '/_api/changes/subscriptions' }, { quiet: true, signal })).subscriptions

const sum = (one: Subscription) => one.consumers.reduce((all, { pending }) => all + pending, 0)

const COLUMNS: Column<Subscription>[] = [
  { title: 'Name', width: 180, cell: (one) => one.name, sort: (one) => one.name },
  { title: 'Collections', width: 180, cell: (one) => one.collections?.join(', ') ?? 'all' },
  { title: 'Filter', cell: (one) => <span class="mono">{one.filter}</span> },
  { title: 'Readers', width: 180, cell: ({ consumers }) => consumers.map(({ name, slots }) => `${name} (${slots})`).join(', ') },
  { title: 'Not acknowledged', width: 150, isNumber: true, cell: (one) => number(sum(one)), sort: sum },
  { title: 'Lag', width: 100, isNumber: true, cell: (one) => number(one.lag), sort: (one) => one.lag },
]

export function Subscriptions() {
  const { value, error, reload } = useLoaded(load, [database.value])
  const [asked, setAsked] = useState<{ what: 'create' } | { what: 'move' | 'remove'; name: string }>()
  useEvery(2000, reload)
  const close = () => setAsked(undefined)
  const actions = [
    actionColumn<Subscription>('Move', ({ name }) => name, ({ name }) => setAsked({ what: 'move', name })),
    { ...actionColumn<Subscription>('Remove', ({ name }) => name, ({ name }) => setAsked({ what: 'remove', name })), title: 'Removal' },
  ]
  return (
    <>
      {mayChangeDatabase.value && (
        <div class="page-head">
          <span class="spring" />
          <button type="button" class="button is-main" onClick={() => setAsked({ what: 'create' })}>
            New subscription
          </button>
        </div>
      )}
      <ErrorMessage error={error} />
      <div class="card fill">
        {value?.length === 0 ? <p class="empty">There are no subscriptions. A subscription keeps the position of its readers.</p> : <SortedTable label="Subscriptions" columns={mayChangeDatabase.value ? [...COLUMNS, ...actions] : COLUMNS} rows={value ?? []} />}
      </div>
      {asked?.what === 'create' && <Create onClose={close} onDone={reload} />}
      {asked?.what === 'move' && <Move name={asked.name} onClose={close} onDone={reload} />}
      {asked?.what === 'remove' && (
        <ConfirmAction title={`Remove ${asked.name}`} verb="Remove" isDangerous call={{ method: 'DELETE', path: path`/_api/changes/subscriptions/${asked.name}` }} onClose={close} onDone={reload}>
          <p>The position of its readers will be forgotten.</p>
        </ConfirmAction>
      )}
    </>
  )
}

function Create({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState('')
  const [collections, setCollections] = useState<string[]>([])
  const [filter, setFilter] = useState('')
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('persea')
  const [since, setSince] = useState('now')
  const body = { name, since, format, ...(collections.length > 0 && { collections }), ...(filter.trim() && { filter: filter.trim() }) }
  const call: Call | null = name === '' ? null : { method: 'POST', path: '/_api/changes/subscriptions', body }
  return (
    <ConfirmAction title="New subscription" verb="Create" call={call} onClose={onClose} onDone={onDone}>
      <Field title="Name">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <div class="field">
        <span>Collections</span>
        <CollectionChoice chosen={collections} onChange={setCollections} />
      </div>
      <Field title="Filter" hint="An AQL expression over operation, collection, document and before.">
        <input class="input mono" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </Field>
      <div class="hook-fields">
        <Field title="Format">
          <Select value={format} options={FORMATS} onChange={setFormat} />
        </Field>
        <Field title="Begin">
          <Select value={since} options={[['now', 'from now on'], ['earliest', 'with the oldest change']]} onChange={setSince} />
        </Field>
      </div>
    </ConfirmAction>
  )
}

/** Moves the position of a subscription. */
function Move({ name, onClose, onDone }: { name: string; onClose: () => void; onDone: () => void }) {
  const [since, setSince] = useState('earliest')
  const call: Call | null = since.trim() === '' ? null : { method: 'PATCH', path: path`/_api/changes/subscriptions/${name}`, body: { since: since.trim() } }
  return (
    <ConfirmAction title={`Move ${name}`} verb="Move" call={call} onClose={onClose} onDone={onDone}>
      <Field title="Position" hint="A token, `earliest` for all changes that the log has, or `now` to skip what was not read.">
        <input class="input mono" required autofocus value={since} onInput={(event) => setSince(event.currentTarget.value)} />
      </Field>
    </ConfirmAction>
  )
}
