/** The queries that run now, and those that took long. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { Tabs } from '../component/Tabs'
import { database, link } from '../lib/address'
import { path } from '../lib/api'
import { bytes, seconds } from '../lib/format'
import { useEvery, useLoaded } from '../lib/load'
import { ask, send } from '../lib/session'

interface Query {
  id: string
  database: string
  user: string
  query: string
  bindVars: Record<string, unknown>
  started: string
  runTime: number
  peakMemoryUsage?: number
  state: string
}

const LISTS = ['Running', 'Slow'] as const
type List = (typeof LISTS)[number]

const load = (list: List, signal: AbortSignal) =>
  ask<Query[]>({ method: 'GET', path: list === 'Running' ? '/_api/query/current' : '/_api/query/slow' }, { quiet: true, signal })

const COLUMNS: Column<Query>[] = [
  { title: 'Query', cell: (one) => <a class="mono" href={link(['queries'], { query: one.query, binds: JSON.stringify(one.bindVars ?? {}) })}>{one.query}</a> },
  { title: 'User', width: 120, cell: (one) => one.user, sort: (one) => one.user },
  { title: 'Started', width: 180, cell: (one) => new Date(one.started).toLocaleString(), sort: (one) => one.started },
  { title: 'Time', width: 110, isNumber: true, cell: (one) => seconds(one.runTime), sort: (one) => one.runTime },
  { title: 'Memory', width: 100, isNumber: true, cell: (one) => (one.peakMemoryUsage === undefined ? '' : bytes(one.peakMemoryUsage)), sort: (one) => one.peakMemoryUsage ?? 0 },
  { title: 'State', width: 120, cell: (one) => one.state, sort: (one) => one.state },
]

export function Activity() {
  const [list, setList] = useState<List>('Running')
  const { value = [], error, reload } = useLoaded((signal) => load(list, signal), [list, database.value])
  const [failure, setFailure] = useState<unknown>()
  useEvery(1000, reload)
  const act = (call: Parameters<typeof send>[0]) => send(call).then(reload, setFailure)
  const kill: Column<Query> = {
    title: 'Actions',
    width: 96,
    cell: (one) => (
      <button type="button" class="button" onClick={() => act({ method: 'DELETE', path: path`/_api/query/${one.id}` })}>
        Kill
      </button>
    ),
  }
  return (
    <div class="page">
      <PageHead title={`Queries of ${database.value}`}>
        <Tabs label="Lists" names={LISTS} chosen={list} onChoose={setList} />
        <span class="spring" />
        {list === 'Slow' && value.length > 0 && (
          <button type="button" class="button" onClick={() => act({ method: 'DELETE', path: '/_api/query/slow' })}>
            Clear
          </button>
        )}
      </PageHead>
      <ErrorMessage error={error ?? failure} />
      <div class="card fill">
        {value.length === 0 ? (
          <p class="empty">{list === 'Running' ? 'No queries are running.' : 'No query took longer than the threshold.'}</p>
        ) : (
          <SortedTable label={`${list} queries`} rows={value} columns={list === 'Running' ? [...COLUMNS, kill] : COLUMNS} />
        )}
      </div>
    </div>
  )
}
