/** The analyzers of the database, and a box to try them. */
import { useState } from 'preact/hooks'
import { CreateAnalyzer } from '../analyzer/CreateAnalyzer'
import { Trial } from '../analyzer/Trial'
import { ConfirmAction } from '../component/ConfirmAction'
import { actionColumn, ListPage } from '../component/ListPage'
import type { Column } from '../component/Table'
import { database } from '../lib/address'
import { path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'

export interface Analyzer {
  /** Analyzers of the database have its name before theirs: `shop::words`. */
  name: string
  type: string
  properties: Record<string, unknown>
  features: string[]
}

const load = async (signal: AbortSignal) => (await ask<{ result: Analyzer[] }>({ method: 'GET', path: '/_api/analyzer' }, { signal })).result

const COLUMNS: Column<Analyzer>[] = [
  { title: 'Name', cell: (one) => one.name, sort: (one) => one.name },
  { title: 'Type', width: 130, cell: (one) => one.type, sort: (one) => one.type },
  { title: 'Properties', cell: (one) => <code>{JSON.stringify(one.properties)}</code> },
  { title: 'Features', width: 232, cell: (one) => one.features.join(', '), sort: (one) => one.features.length },
]

export function Analyzers() {
  const { value, error, reload } = useLoaded(load, [database.value])
  const [removed, setRemoved] = useState<Analyzer>()
  // Those without the name of a database are part of the server.
  const remove = actionColumn<Analyzer>('Remove', ({ name }) => (name.includes('::') ? name : undefined), setRemoved)
  return (
    <ListPage
      title="Analyzers"
      rows={value}
      error={error}
      onReload={reload}
      columns={mayChangeDatabase.value ? [...COLUMNS, remove] : COLUMNS}
      empty="There are no analyzers."
      create={mayChangeDatabase.value ? { title: 'New analyzer', dialog: (close) => <CreateAnalyzer onClose={close} onDone={reload} /> } : undefined}
      above={<Trial names={(value ?? []).map((one) => one.name)} />}
    >
      {removed && (
        <ConfirmAction title={`Remove ${removed.name}`} verb="Remove" isDangerous call={{ method: 'DELETE', path: path`/_api/analyzer/${removed.name}` }} onClose={() => setRemoved(undefined)} onDone={reload}>
          <p>The analyzer will be removed. The server refuses this while an index or a view uses it.</p>
        </ConfirmAction>
      )}
    </ListPage>
  )
}
