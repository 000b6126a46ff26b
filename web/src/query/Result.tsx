/** The outcome of a query: rows as a table or JSON, the plan, remarks and downloads. */
import { useMemo, useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import { Lines } from '../component/Lines'
import { ErrorMessage } from '../component/Message'
import { RowTable } from '../component/RowTable'
import { Tabs } from '../component/Tabs'
import { messageOf } from '../lib/call'
import { number, seconds } from '../lib/format'
import { indent } from '../lib/json'
import type { Cursor } from './cursor'
import { download, type FileFormat } from './download'
import { PlanView } from './PlanView'
import { cursor, error, plan, running, view, type View } from './state'

export function Result() {
  const found = cursor.value
  const planned = plan.value
  const names: View[] = ['Table', 'JSON']
  if (planned) names.push(planned.nodes ? 'Profile' : 'Plan')
  const chosen = names.includes(view.value) ? view.value : 'Table'
  return (
    <section class="card query-result" aria-label="Result">
      <div class="result-head">
        <Tabs label="Views of the result" names={names} chosen={chosen} onChoose={(name) => (view.value = name)} />
        <span class="spring" />
        <span role="status" class="muted">
          {running.value ? <span class="running">Running …</span> : found && <Summary cursor={found} />}
        </span>
        {found && <Downloads cursor={found} />}
      </div>
      <div class="result-notes">
        <ErrorMessage error={error.value} />
        {found?.extra.warnings?.map((warning, index) => (
          <p class="message is-warning" key={index}>
            {warning.message} ({warning.code})
          </p>
        ))}
      </div>
      {chosen === 'Plan' || chosen === 'Profile' ? (
        planned && <PlanView {...planned} profile={found?.extra.profile} statistics={found?.extra.stats} />
      ) : found ? (
        <Rows cursor={found} asTable={chosen === 'Table'} />
      ) : (
        !error.value && <p class="empty">Run a query to see its result here.</p>
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

function Rows({ cursor, asTable }: { cursor: Cursor; asTable: boolean }) {
  const [failure, setFailure] = useState<unknown>()
  const [opened, setOpened] = useState<string>()
  const count = cursor.count.value
  const more = () => {
    if (!failure) cursor.more().catch(setFailure)
  }
  if (count === 0) return <p class="empty">The query has no rows.</p>
  return (
    <>
      <ErrorMessage error={failure} />
      {asTable ? <RowTable rows={cursor.rows} count={count} onEnd={more} onOpen={setOpened} /> : <JsonRows cursor={cursor} count={count} onEnd={more} />}
      {opened !== undefined && (
        <Dialog title="Row" isWide onClose={() => setOpened(undefined)}>
          <pre class="dialog-body row-json">{indent(opened)}</pre>
        </Dialog>
      )}
    </>
  )
}

function JsonRows({ cursor, count, onEnd }: { cursor: Cursor; count: number; onEnd: () => void }) {
  // Lines of rows that were there before are kept.
  const known = useMemo(() => ({ rows: 0, lines: [] as string[] }), [cursor])
  for (; known.rows < count; known.rows += 1) {
    for (const line of `${indent(cursor.rows[known.rows] ?? '')},`.split('\n')) known.lines.push(line)
  }
  return <Lines label="Rows as JSON" lines={known.lines.slice()} onEnd={onEnd} />
}

const FORMATS: FileFormat[] = ['JSON', 'JSON Lines', 'CSV']

function Downloads({ cursor }: { cursor: Cursor }) {
  const [note, setNote] = useState('')
  const act = async (format: FileFormat) => {
    try {
      await download(cursor, format, (rows) => setNote(`${number(rows)} rows`))
      setNote('')
    } catch (thrown) {
      setNote(messageOf(thrown))
    }
  }
  return (
    <span class="side-row">
      <span class="muted">{note || 'Download'}</span>
      {FORMATS.map((format) => (
        <button type="button" class="button" key={format} onClick={() => act(format)}>
          {format}
        </button>
      ))}
    </span>
  )
}
