/** The collections of the database. */
import { useState } from 'preact/hooks'
import { CreateCollection } from '../collection/CreateCollection'
import { ListPage } from '../component/ListPage'
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
  const words = filter.toLowerCase()
  const shown = value?.filter((one) => (withSystem || !one.isSystem) && one.name.toLowerCase().includes(words))
  const open = (name: string) => go(['collection', name, 'documents'])
  return (
    <ListPage
      title="Collections"
      rows={shown}
      error={error}
      onReload={reload}
      columns={COLUMNS}
      empty={filter ? 'No collection matches.' : 'There are no collections yet.'}
      onOpen={(one) => open(one.name)}
      create={mayChangeDatabase.value ? { title: 'New collection', dialog: (close) => <CreateCollection onClose={close} onDone={open} /> } : undefined}
      fields={
        <>
          <input class="input" type="search" placeholder="Filter by name" aria-label="Filter by name" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
          <label class="check">
            <input type="checkbox" checked={withSystem} onChange={() => setWithSystem(!withSystem)} />
            System
          </label>
        </>
      }
    />
  )
}
