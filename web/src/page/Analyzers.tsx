/** The analyzers of the database, and a box to try them. */
import { useState } from 'preact/hooks'
import { CreateAnalyzer } from '../analyzer/CreateAnalyzer'
import { Trial } from '../analyzer/Trial'
import { Act } from '../component/Act'
import { ErrorMessage } from '../component/Message'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { database } from '../lib/address'
import { path } from '../lib/call'
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
  { title: 'Features', width: 200, cell: (one) => one.features.join(', '), sort: (one) => one.features.length },
]

export function Analyzers() {
  const { value = [], error, reload } = useLoaded(load, [database.value])
  const [isCreating, setCreating] = useState(false)
  const [removed, setRemoved] = useState<string>()
  const remove: Column<Analyzer> = {
    title: 'Actions',
    width: 104,
    // The others are part of the server.
    cell: (one) =>
      one.name.includes('::') && (
        <button type="button" class="button" aria-label={`Remove ${one.name}`} onClick={() => setRemoved(one.name)}>
          Remove
        </button>
      ),
  }
  return (
    <div class="page">
      <div class="page-head">
        <h1>Analyzers</h1>
        <span class="spring" />
        {mayChangeDatabase.value && (
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            New analyzer
          </button>
        )}
      </div>
      <ErrorMessage error={error} />
      <Trial names={value.map((one) => one.name)} />
      <div class="card fill">
        <SortedTable label="Analyzers" rows={value} columns={mayChangeDatabase.value ? [...COLUMNS, remove] : COLUMNS} />
      </div>
      {isCreating && <CreateAnalyzer onClose={() => setCreating(false)} onDone={reload} />}
      {removed !== undefined && (
        <Act title={`Remove ${removed}`} verb="Remove" isDangerous call={{ method: 'DELETE', path: path`/_api/analyzer/${removed}` }} onClose={() => setRemoved(undefined)} onDone={reload}>
          <p>The analyzer will be removed. The server refuses that while an index or a view uses it.</p>
        </Act>
      )}
    </div>
  )
}
