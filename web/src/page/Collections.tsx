/** The collections of the database. */
import { useState } from 'preact/hooks'
import { CreateCollection } from '../collection/CreateCollection'
import { ErrorMessage } from '../component/Message'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { database, go, link } from '../lib/address'
import { number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'

interface Collection {
  name: string
  type: number
  isSystem: boolean
  count?: number
}

/** Returns all collections, and the number of documents of those that the user may read. */
async function load(signal: AbortSignal): Promise<Collection[]> {
  const { result } = await ask<{ result: Collection[] }>({ method: 'GET', path: '/_api/collection' }, { signal })
  const query = 'RETURN ZIP(@names, (FOR name IN @names RETURN COLLECTION_COUNT(name)))'
  const body = { query, bindVars: { names: result.map((one) => one.name) } }
  const counted = ask<{ result: Record<string, number>[] }>({ method: 'POST', path: '/_api/cursor', body }, { signal })
  const counts = await counted.then((reply) => reply.result[0] ?? {}).catch((): Record<string, number> => ({}))
  return result.map((one) => ({ ...one, count: counts[one.name] })).sort((left, right) => left.name.localeCompare(right.name))
}

const COLUMNS: Column<Collection>[] = [
  { title: 'Name', cell: (one) => <a href={link(['collection', one.name, 'documents'])}>{one.name}</a>, sort: (one) => one.name },
  { title: 'Type', width: 120, cell: (one) => (one.type === 3 ? 'Edges' : 'Documents'), sort: (one) => one.type },
  { title: 'Documents', width: 140, isNumber: true, cell: (one) => (one.count === undefined ? '' : number(one.count)), sort: (one) => one.count ?? -1 },
]

export function Collections() {
  const { value, error, reload } = useLoaded(load, [database.value])
  const [filter, setFilter] = useState('')
  const [withSystem, setWithSystem] = useState(false)
  const [isCreating, setCreating] = useState(false)
  const words = filter.toLowerCase()
  const shown = (value ?? []).filter((one) => (withSystem || !one.isSystem) && one.name.toLowerCase().includes(words))
  return (
    <div class="page">
      <div class="page-head">
        <h1>Collections</h1>
        <input class="input" type="search" placeholder="Filter by name" aria-label="Filter by name" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        <label class="check">
          <input type="checkbox" checked={withSystem} onChange={() => setWithSystem(!withSystem)} />
          System
        </label>
        <span class="spring" />
        <button type="button" class="button" onClick={reload}>
          Refresh
        </button>
        {mayChangeDatabase.value && (
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            New collection
          </button>
        )}
      </div>
      <ErrorMessage error={error} />
      <div class="card fill">
        {value && shown.length === 0 ? (
          <p class="empty">{filter ? 'No collection has such a name.' : 'There are no collections yet.'}</p>
        ) : (
          <SortedTable label="Collections" columns={COLUMNS} rows={shown} onOpen={(one) => go(['collection', one.name, 'documents'])} />
        )}
      </div>
      {isCreating && <CreateCollection onClose={() => setCreating(false)} onDone={(name) => go(['collection', name, 'documents'])} />}
    </div>
  )
}
