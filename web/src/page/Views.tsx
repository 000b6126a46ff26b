/** The views of the database. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { database, go, link } from '../lib/address'
import { path } from '../lib/call'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'
import { CreateView } from '../view/CreateView'
import { collectionsOf, type Definition } from '../view/definition'

async function load(signal: AbortSignal): Promise<Definition[]> {
  const { result } = await ask<{ result: Definition[] }>({ method: 'GET', path: '/_api/view' }, { signal })
  const properties = (name: string) => ask<Definition>({ method: 'GET', path: path`/_api/view/${name}/properties` }, { signal, quiet: true })
  // A view may be dropped in between.
  return Promise.all(result.map((one) => properties(one.name).catch(() => one)))
}

const COLUMNS: Column<Definition>[] = [
  { title: 'Name', cell: (one) => <a href={link(['view', one.name])}>{one.name}</a>, sort: (one) => one.name },
  { title: 'Type', width: 140, cell: (one) => one.type, sort: (one) => one.type },
  { title: 'Collections', cell: (one) => collectionsOf(one).join(', '), sort: (one) => collectionsOf(one).length },
]

export function Views() {
  const { value, error, reload } = useLoaded(load, [database.value])
  const [isCreating, setCreating] = useState(false)
  return (
    <div class="page">
      <div class="page-head">
        <h1>Views</h1>
        <span class="spring" />
        <button type="button" class="button" onClick={reload}>
          Refresh
        </button>
        {mayChangeDatabase.value && (
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            New view
          </button>
        )}
      </div>
      <ErrorMessage error={error} />
      <div class="card fill">
        {value?.length === 0 ? <p class="empty">There are no views yet.</p> : <SortedTable label="Views" columns={COLUMNS} rows={value ?? []} onOpen={(one) => go(['view', one.name])} />}
      </div>
      {isCreating && <CreateView onClose={() => setCreating(false)} onDone={(name) => go(['view', name])} />}
    </div>
  )
}
