/** The views of the database. */
import { ListPage } from '../component/ListPage'
import type { Column } from '../component/Table'
import { database, go, link } from '../lib/address'
import { path } from '../lib/api'
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
  const open = (name: string) => go(['view', name])
  return (
    <ListPage
      title="Views"
      rows={value}
      error={error}
      onReload={reload}
      columns={COLUMNS}
      empty="There are no views yet."
      onOpen={(one) => open(one.name)}
      create={mayChangeDatabase.value ? { title: 'New view', dialog: (close) => <CreateView onClose={close} onDone={open} /> } : undefined}
    />
  )
}
