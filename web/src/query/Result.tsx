/** The outcome of a query: rows as a table or JSON, the plan, remarks and downloads. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Boundary } from '../component/Boundary'
import { Dialog } from '../component/Dialog'
import { JsonText } from '../component/JsonText'
import { Lines } from '../component/Lines'
import { ErrorMessage } from '../component/Message'
import { RowTable } from '../component/RowTable'
import { Tabs } from '../component/Tabs'
import { number, seconds } from '../lib/format'
import { attributes, indent } from '../lib/json'
import type { Cursor } from './cursor'
import { Downloads } from './Downloads'
import { chartColumns, MAX_ROWS } from '../chart/series'
import { mayHaveEdges } from '../graph/ofRows'
import { lazy } from '../lib/lazy'
import { mayHavePlaces } from '../map/shapes'
import { ordered } from './order'
import { PlanView } from './PlanView'
import type { Query, View } from './Query'

const GraphResult = lazy(async () => (await import('./GraphResult')).GraphResult)
const MapResult = lazy(async () => (await import('./MapResult')).MapResult)
const ChartResult = lazy(async () => (await import('./ChartResult')).ChartResult)

export function Result({ query }: { query: Query }) {
  const found = query.cursor.value
  const planned = query.planned.value
  const hasNumbers = useMemo(() => found !== undefined && chartColumns(found.rows).numeric.length > 0, [found])
  const names: View[] = ['Table', 'JSON']
  const [hasEdges, hasPlaces] = useMemo(() => (found ? [mayHaveEdges(found.rows), mayHavePlaces(found.rows)] : []), [found])
  if (hasEdges) names.push('Graph')
  if (hasPlaces) names.push('Map')
  if (hasNumbers) names.push('Chart')
  if (planned) names.push(planned.nodes ? 'Profile' : 'Plan')
  const chosen = names.includes(query.view.value) ? query.view.value : 'Table'
  return (
    <section class="card query-result" aria-label="Result">
      <div class="result-head">
        <Tabs label="Views of the result" names={names} chosen={chosen} onChoose={(name) => (query.view.value = name)} />
        <span class="spring" />
        <span role="status" class="muted">
          {query.running.value ? <span class="running">Running …</span> : found && <Summary cursor={found} />}
        </span>
        {found && <Downloads cursor={found} name="result" />}
      </div>
      <div class="result-notes">
        <ErrorMessage error={query.error.value} />
        {found?.extra.warnings?.map((warning, index) => (
          <p class="message is-warning" key={index}>
            {warning.message} ({warning.code})
          </p>
        ))}
      </div>
      {chosen === 'Plan' || chosen === 'Profile' ? (
        planned && (
          <Boundary key="plan" title="The plan">
            <PlanView {...planned} profile={planned.nodes && found?.extra.profile} statistics={planned.nodes && found?.extra.stats} />
          </Boundary>
        )
      ) : found ? (
        <Boundary key={chosen} title="The result">
          <Rows cursor={found} view={chosen} />
        </Boundary>
      ) : (
        !query.error.value && <p class="empty">Run a query to see its result here.</p>
      )}
    </section>
  )
}

function Summary({ cursor }: { cursor: Cursor }) {
  const { stats } = cursor.extra
  const fetched = cursor.hasMore.value ? `${number(cursor.count.value)} of ` : ''
  const rows = `${fetched}${number(cursor.total)} ${cursor.total === 1 ? 'row' : 'rows'}`
  const written = stats?.writesExecuted ? `, ${number(stats.writesExecuted)} written` : ''
  return (
    <>
      {rows}
      {written}
      {stats && `, ${seconds(stats.executionTime)}`}
    </>
  )
}

function Rows({ cursor, view }: { cursor: Cursor; view: Exclude<View, 'Plan' | 'Profile'> }) {
  const [failure, setFailure] = useState<unknown>()
  const [opened, setOpened] = useState<string>()
  const count = cursor.count.value
  const more = () => {
    if (!failure) cursor.more().catch(setFailure)
  }
  // A picture has more rows than a table shows at once.
  const isPicture = view === 'Map' || view === 'Chart'
  useEffect(() => {
    if (isPicture && count < MAX_ROWS) more()
  }, [isPicture, count])
  if (count === 0) return <p class="empty">The query returned no rows.</p>
  return (
    <>
      <ErrorMessage error={failure} />
      {view === 'Table' && <SortableRows cursor={cursor} count={count} onEnd={more} onOpen={setOpened} onError={setFailure} />}
      {view === 'JSON' && <JsonRows cursor={cursor} count={count} onEnd={more} />}
      {view === 'Graph' && <GraphResult rows={cursor.rows} count={count} />}
      {view === 'Map' && <MapResult rows={cursor.rows} count={count} onOpen={setOpened} />}
      {view === 'Chart' && <ChartResult rows={cursor.rows} count={count} />}
      {opened !== undefined && (
        <Dialog title="Row" isWide onClose={() => setOpened(undefined)}>
          <JsonText label="JSON of the row" text={indent(opened)} />
        </Dialog>
      )}
    </>
  )
}

/** Rows that are sorted at most: the page has to fetch them all first. */
const MAX_SORTED = 100_000

interface SortableProperties {
  cursor: Cursor
  count: number
  onEnd: () => void
  onOpen: (row: string) => void
  onError: (error: unknown) => void
}

/** The rows as a table, sorted by a click on a column. */
function SortableRows({ cursor, count, onEnd, onOpen, onError }: SortableProperties) {
  const [sorted, setSorted] = useState({ column: '', isDescending: false })
  const rows = useMemo(() => {
    if (sorted.column === '') return cursor.rows
    const value = (row: string) => (row.startsWith('{') ? new Map(attributes(row)).get(sorted.column) : row)
    return ordered(cursor.rows.map(value), sorted.isDescending).map((at) => cursor.rows[at] ?? '')
  }, [cursor, sorted, sorted.column === '' ? 0 : count])
  const sort = async (column: string) => {
    setSorted({ column, isDescending: sorted.column === column && !sorted.isDescending })
    try {
      while (cursor.hasMore.value && cursor.rows.length < MAX_SORTED) await cursor.more()
    } catch (error) {
      onError(error)
    }
  }
  return <RowTable table="result" rows={rows} count={count} onEnd={onEnd} onOpen={onOpen} sorted={sorted} onSort={(column) => void sort(column)} />
}

function JsonRows({ cursor, count, onEnd }: { cursor: Cursor; count: number; onEnd: () => void }) {
  // Lines of rows that were there before are kept.
  const known = useMemo(() => ({ rows: 0, lines: [] as string[] }), [cursor])
  for (; known.rows < count; known.rows += 1) {
    for (const line of `${indent(cursor.rows[known.rows] ?? '')},`.split('\n')) known.lines.push(line)
  }
  return <Lines label="Rows as JSON" lines={known.lines.slice()} onEnd={onEnd} />
}
