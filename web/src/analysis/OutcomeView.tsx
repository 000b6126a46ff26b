/** The result of an analysis: its statistics, the meaning of the colours, and its first rows. */
import type Graph from 'graphology'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import { JsonText } from '../component/JsonText'
import { RowTable } from '../component/RowTable'
import { link } from '../lib/address'
import { number, seconds } from '../lib/format'
import { attributes, indent } from '../lib/json'
import { ordered } from '../query/order'
import type { GraphDefinition } from '../graph/definition'
import type { Analysis, Outcome } from './Analysis'
import { LegendView } from './LegendView'
import { short } from './short'
import { firstRows, MAX_ROWS } from './statements'
import { WriteDialog } from './WriteDialog'
import '../style/analysis.css'

interface Properties {
  analysis: Analysis
  definition: GraphDefinition
  /** The drawn vertices and edges. */
  graph: Graph
  /** Changes when vertices were added. */
  turn: number
  /** True if the user may write the documents of all vertices. */
  mayWrite: boolean
  /** Called with a vertex of the table. */
  onChoose: (id: string) => void
  /** Called when documents have changed. */
  onWritten: () => void
}

export function OutcomeView({ analysis, definition, graph, turn, mayWrite, onChoose, onWritten }: Properties) {
  const outcome = analysis.outcome.value
  const [isWriting, setWriting] = useState(false)
  useEffect(() => void analysis.complete(graph), [outcome, graph, turn, analysis.running.value === ''])
  if (!outcome) return null
  const { algorithm, binds } = outcome
  const write = (binds: string) => void analysis.write(algorithm, binds).then(onWritten)
  return (
    <section class="card viewer-outcome" aria-label="Result of the analysis">
      <div class="analysis-head">
        <h2>{algorithm.name}</h2>
        <span class="spring" />
        <a class="button" href={link(['queries'], { query: firstRows(algorithm), binds })}>
          Open as query
        </a>
        {mayWrite && algorithm.byVertex && (
          <button type="button" class="button" disabled={analysis.running.value !== ''} onClick={() => setWriting(true)}>
            Write …
          </button>
        )}
        <button type="button" class="button" onClick={() => analysis.clear()}>
          Clear
        </button>
      </div>
      {analysis.legend.value && <LegendView legend={analysis.legend.value} />}
      {analysis.statistics.value && <Statistics row={analysis.statistics.value} shown={Math.min(MAX_ROWS, outcome.rows.length)} />}
      <Rows outcome={outcome} onChoose={onChoose} />
      {isWriting && <WriteDialog outcome={outcome} definition={definition} onClose={() => setWriting(false)} onWrite={write} />}
    </section>
  )
}

function Statistics({ row, shown }: { row: string; shown: number }) {
  const members = attributes(row)
  const rows = Number(new Map(members).get('rows'))
  return (
    <p class="chips analysis-statistics" role="group" aria-label="Statistics">
      {shown < rows && (
        <span class="chip">
          the first {number(shown)} of {number(rows)} rows
        </span>
      )}
      {members
        .filter(([name]) => name !== 'algorithm')
        .map(([name, json]) => (
          <span class="chip" key={name}>
            {name}: {valueText(name, json)}
          </span>
        ))}
    </p>
  )
}

function valueText(name: string, json: string): string {
  if (name.endsWith('Seconds')) return seconds(Number(json))
  return /^[-\d]/.test(json) ? short(Number(json)) : json
}

function Rows({ outcome, onChoose }: { outcome: Outcome; onChoose: (id: string) => void }) {
  const { algorithm, rows } = outcome
  const [opened, setOpened] = useState<string>()
  const tables = useMemo(() => rows.map((row) => new Map(attributes(row))), [rows])
  const first = useMemo(() => algorithm.columns.find((column) => tables.some((row) => /^[-\d]/.test(row.get(column) ?? ''))) ?? '', [outcome])
  const [sorted, setSorted] = useState({ column: first, isDescending: true })
  useEffect(() => setSorted({ column: first, isDescending: true }), [outcome])
  const sort = (list: number[], { column, isDescending }: typeof sorted) => (column ? ordered(list.map((at) => tables[at]?.get(column)), isDescending).map((at) => list[at] as number) : list)
  // The first rows are those with the greatest numbers; other orders are orders of these.
  const shown = useMemo(() => sort(rows.map((_, at) => at), { column: first, isDescending: true }).slice(0, MAX_ROWS), [outcome])
  const texts = useMemo(() => sort(shown, sorted).map((at) => rows[at] as string), [shown, sorted])
  const open = (row: string) => {
    const vertex = algorithm.byVertex ? (JSON.parse(row) as { vertex?: string }).vertex : undefined
    if (vertex) onChoose(vertex)
    else setOpened(row)
  }
  if (rows.length === 0) return <p class="empty">The result has no rows.</p>
  return (
    <>
      <RowTable table="analysis" rows={texts} count={texts.length} onOpen={open} sorted={sorted} onSort={(column) => setSorted({ column, isDescending: column === sorted.column ? !sorted.isDescending : true })} />
      {opened !== undefined && (
        <Dialog title="Row" isWide onClose={() => setOpened(undefined)}>
          <JsonText label="JSON of the row" text={indent(opened)} />
        </Dialog>
      )}
    </>
  )
}
