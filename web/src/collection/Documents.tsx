/** The documents of a collection, with filters that show their query. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { type Choice, RowTable } from '../component/RowTable'
import { database, go, link } from '../lib/address'
import { path } from '../lib/api'
import { number } from '../lib/format'
import { attributes } from '../lib/json'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { Cursor } from '../query/cursor'
import { ImportDialog } from '../import/ImportDialog'
import { Downloads } from '../query/Downloads'
import { Bulk } from './Bulk'
import { type Filter, OPERATORS, queryOf, type Sort } from './filter'

interface Properties {
  collection: string
  isWritable: boolean
}

/** Milliseconds after the last key until a filter is applied. */
const PAUSE = 400

export function Documents({ collection, isWritable }: Properties) {
  const [filters, setFilters] = useState<Filter[]>([])
  const [sort, setSort] = useState<Sort>({ attribute: '', isDescending: false })
  const { query, binds } = queryOf(collection, filters, sort)
  const asked = useDelayed(JSON.stringify([query, binds]))
  const [imported, setImported] = useState<{ file?: File }>()
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((turn) => turn + 1)
  const { value: cursor, error } = useLoaded((signal) => run(asked, signal), [asked, turn])
  const { value: count } = useLoaded((signal) => ask<{ count: number }>({ method: 'GET', path: path`/_api/collection/${collection}/count` }, { quiet: true, signal }), [collection, turn])
  const { value: found } = useLoaded((signal) => countOf(asked, signal), [asked, turn])
  useEffect(() => () => void cursor?.close(), [cursor])
  const [keys, setKeys] = useState<string[]>([])
  const [note, setNote] = useState('')
  useEffect(() => setKeys([]), [cursor])
  const choice = {
    has: (row: string) => keys.includes(keyOf(row)),
    toggle: (row: string) => setKeys(keys.includes(keyOf(row)) ? keys.filter((key) => key !== keyOf(row)) : [...keys, keyOf(row)]),
  }
  const onWritten = (written: number) => {
    setNote(`${number(written)} written.`)
    reload()
  }
  const sortBy = (attribute: string) => setSort({ attribute: attribute, isDescending: sort.attribute === attribute && !sort.isDescending })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const file = event.dataTransfer?.files[0]
    if (file && isWritable) setImported({ file })
  }
  return (
    <>
      <div class="page-head">
        <button type="button" class="button" onClick={() => setFilters([...filters, { attribute: '', operator: '==', value: '' }])}>
          Add filter
        </button>
        <input class="input" aria-label="Sort by attribute" placeholder="Sort by attribute" value={sort.attribute} onInput={(event) => setSort({ ...sort, attribute: event.currentTarget.value })} />
        <label class="check">
          <input type="checkbox" checked={sort.isDescending} onChange={() => setSort({ ...sort, isDescending: !sort.isDescending })} />
          Descending
        </label>
        <span class="spring" />
        <span class="muted" role="status">
          {note}
        </span>
        <span class="muted" role="status">
          {count && (found === undefined ? `${number(count.count)} documents` : `${number(found)} of ${number(count.count)} documents`)}
        </span>
        {cursor && <Downloads cursor={cursor} name={collection} />}
        <a class="button" href={link(['queries'], { query, binds: JSON.stringify(binds) })}>
          Open as query
        </a>
        {isWritable && (
          <button type="button" class="button" title="A file can also be dropped on the table" onClick={() => setImported({})}>
            Import
          </button>
        )}
        {isWritable && (
          <a class="button is-main" href={link(['collection', collection, 'new'])}>
            New document
          </a>
        )}
      </div>
      {imported && <ImportDialog collection={collection} file={imported.file} onClose={() => setImported(undefined)} onDone={reload} />}
      {filters.length > 0 && <Filters filters={filters} onChange={setFilters} />}
      {(filters.length > 0 || sort.attribute !== '') && <pre class="card query-text">{query}</pre>}
      <ErrorMessage error={error} />
      {isWritable && keys.length > 0 && <Bulk collection={collection} keys={keys} filters={filters} onClear={() => setKeys([])} onDone={onWritten} />}
      <div class="card fill" onDragOver={(event) => isWritable && event.preventDefault()} onDrop={drop}>
        {cursor && <Rows cursor={cursor} collection={collection} sort={sort} onSort={sortBy} choice={isWritable ? choice : undefined} />}
      </div>
    </>
  )
}

async function run(asked: string, signal: AbortSignal): Promise<Cursor> {
  const [query, binds] = JSON.parse(asked) as [string, Record<string, unknown>]
  return Cursor.run(query, binds, { stream: true }, signal)
}

/** Returns the number of documents that filters find; nothing without filters. */
async function countOf(asked: string, signal: AbortSignal): Promise<number | undefined> {
  const [query, bindVars] = JSON.parse(asked) as [string, Record<string, unknown>]
  if (!query.includes('\n  FILTER ')) return undefined
  const body = { query: `RETURN COUNT(\n${query.replace(/\n {2}SORT .*/, '').replace(/ {2}RETURN d$/, '  RETURN 1')}\n)`, bindVars }
  return (await ask<{ result: number[] }>({ method: 'POST', path: '/_api/cursor', body }, { quiet: true, signal })).result[0]
}

function useDelayed(value: string): string {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), PAUSE)
    return () => clearTimeout(timer)
  }, [value])
  return delayed
}

/** Returns the key of a document's text. */
function keyOf(row: string): string {
  return JSON.parse(new Map(attributes(row)).get('_key') ?? '""') as string
}

function Rows({ cursor, collection, sort, onSort, choice }: { cursor: Cursor; collection: string; sort: Sort; onSort: (attribute: string) => void; choice: Choice | undefined }) {
  const [failure, setFailure] = useState<unknown>()
  const more = useMemo(() => () => cursor.more().catch(setFailure), [cursor])
  if (cursor.count.value === 0) return <p class="empty">No documents found.</p>
  const open = (row: string) => {
    const key = keyOf(row)
    if (key) go(['collection', collection, 'documents', key])
  }
  return (
    <>
      <ErrorMessage error={failure} />
      <RowTable rows={cursor.rows} count={cursor.count.value} onEnd={more} onOpen={open} table={`${database.value}/${collection}`} sorted={{ column: sort.attribute, isDescending: sort.isDescending }} onSort={onSort} choice={choice} />
    </>
  )
}

function Filters({ filters, onChange }: { filters: Filter[]; onChange: (filters: Filter[]) => void }) {
  const set = (index: number, change: Partial<Filter>) => onChange(filters.map((one, at) => (at === index ? { ...one, ...change } : one)))
  return (
    <div class="card card-body">
      {filters.map((filter, index) => (
        <div class="side-row" key={index}>
          <input class="input" aria-label="Attribute" placeholder="Attribute, such as address.city" value={filter.attribute} onInput={(event) => set(index, { attribute: event.currentTarget.value })} />
          <select class="input operator" aria-label="Operator" value={filter.operator} onChange={(event) => set(index, { operator: event.currentTarget.value as Filter['operator'] })}>
            {OPERATORS.map((operator) => (
              <option key={operator}>{operator}</option>
            ))}
          </select>
          <input class="input" aria-label="Value" placeholder="Value" value={filter.value} onInput={(event) => set(index, { value: event.currentTarget.value })} />
          <button type="button" class="icon-button" aria-label="Remove filter" onClick={() => onChange(filters.filter((_, at) => at !== index))}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
