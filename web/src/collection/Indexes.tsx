/** The indexes of a collection. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { actionColumn } from '../component/ListPage'
import { ErrorMessage } from '../component/Message'
import { SortedTable } from '../component/SortedTable'
import type { Column } from '../component/Table'
import { database } from '../lib/address'
import { path } from '../lib/api'
import { bytes, number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { CreateIndex } from './CreateIndex'

export interface Index {
  id: string
  name: string
  type: string
  fields: (string | { name: string })[]
  unique: boolean
  sparse: boolean
  selectivityEstimate?: number
  /** Inverted indexes have another attribute than the others. */
  figures?: { memory?: number; indexSize?: number }
  /** Why a vector index cannot be used. */
  errorMessage?: string
}

async function load(collection: string, signal: AbortSignal): Promise<Index[]> {
  const query = new URLSearchParams({ collection, withStats: 'true' })
  return (await ask<{ indexes: Index[] }>({ method: 'GET', path: `/_api/index?${query}` }, { signal })).indexes
}

const fieldsOf = (index: Index) => index.fields.map((field) => (typeof field === 'string' ? field : field.name)).join(', ')

const sizeOf = ({ figures }: Index) => figures?.memory ?? figures?.indexSize

const COLUMNS: Column<Index>[] = [
  { title: 'Name', cell: (index) => index.name, sort: (index) => index.name },
  { title: 'Type', width: 120, cell: (index) => <IndexType index={index} />, sort: (index) => index.type },
  { title: 'Fields', cell: (index) => <code>{fieldsOf(index)}</code>, sort: fieldsOf },
  { title: 'Unique', width: 80, cell: (index) => (index.unique ? 'yes' : '') },
  { title: 'Sparse', width: 80, cell: (index) => (index.sparse ? 'yes' : '') },
  { title: 'Selectivity', width: 100, isNumber: true, cell: (index) => (index.selectivityEstimate === undefined ? '' : `${number(index.selectivityEstimate * 100)} %`), sort: (index) => index.selectivityEstimate ?? -1 },
  { title: 'Size', width: 100, isNumber: true, cell: (index) => bytes(sizeOf(index) ?? 0), sort: (index) => sizeOf(index) ?? 0 },
]

function IndexType({ index }: { index: Index }) {
  if (!index.errorMessage) return <>{index.type}</>
  return (
    <span class="chip is-bad" title={index.errorMessage}>
      {index.type}: {index.errorMessage}
    </span>
  )
}

export function Indexes({ collection, mayChange }: { collection: string; mayChange: boolean }) {
  const { value = [], error, reload } = useLoaded((signal) => load(collection, signal), [collection, database.value])
  const [isCreating, setCreating] = useState(false)
  const [dropped, setDropped] = useState<Index>()
  const isDroppable = (index: Index) => index.type !== 'primary' && index.type !== 'edge'
  const drop = actionColumn<Index>('Drop', (index) => (isDroppable(index) ? index.name : undefined), setDropped)
  const [owner = '', id = ''] = dropped?.id.split('/') ?? []
  return (
    <>
      {mayChange && (
        <div class="page-head">
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            New index
          </button>
        </div>
      )}
      <ErrorMessage error={error} />
      <div class="card fill">
        <SortedTable label="Indexes" columns={mayChange ? [...COLUMNS, drop] : COLUMNS} rows={value} />
      </div>
      {isCreating && <CreateIndex collection={collection} onClose={() => setCreating(false)} onDone={reload} />}
      {dropped && (
        <ConfirmAction title="Drop the index" verb="Drop" isDangerous call={{ method: 'DELETE', path: path`/_api/index/${owner}/${id}` }} onClose={() => setDropped(undefined)} onDone={reload}>
          <p>
            The index <b>{dropped.name}</b> on <code>{fieldsOf(dropped)}</code> will be removed. Queries that use it become slower.
          </p>
        </ConfirmAction>
      )}
    </>
  )
}
