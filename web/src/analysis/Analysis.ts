/** The analysis of a graph: the form, the run, and its result. */
import { signal } from '@preact/signals'
import type Graph from 'graphology'
import { attributes, members } from '../lib/json'
import { send } from '../lib/session'
import { kill } from '../query/stop'
import type { Algorithm } from './algorithm'
import { kindOf, type Legend, numericColumns } from './colours'
import { type Look, paintBy, type Row } from './paint'
import { ALL, firstAndDrawn, firstRows, MAX_ROWS, OF_DRAWN } from './statements'
import { bindsOf, type Form, withBind, withOptions } from './values'

/** The memory that a run would need. */
export interface Estimate {
  vertices: number
  edges: number
  neededBytes: number
  fits: boolean
}

/** The result of a run. */
export interface Outcome {
  algorithm: Algorithm
  /** The bind parameters as JSON. */
  binds: string
  /** The texts of the first rows and of those of the drawn vertices. */
  rows: string[]
  /** The values of vertices, as far as they were fetched. */
  values: Map<string, Row>
  /** The colours that groups have. */
  groups: Map<string, string>
}

const COMPLETING = 'Computing values of new vertices …'

export class Analysis {
  readonly algorithm = signal('')
  readonly form = signal<Form>({ typed: {}, weight: '' })
  /** A word for what runs; none while nothing does. */
  readonly running = signal('')
  readonly error = signal<unknown>(undefined)
  readonly estimate = signal<Estimate | undefined>(undefined)
  readonly outcome = signal<Outcome | undefined>(undefined)
  /** The row of the statistics, as JSON. */
  readonly statistics = signal<string | undefined>(undefined)
  readonly note = signal('')
  readonly look = signal<Look>({ column: '', kind: 'Scale', size: '' })
  readonly legend = signal<Legend | undefined>(undefined)
  /** Counts the times that values arrived. */
  readonly arrivals = signal(0)
  private abort: AbortController | undefined
  /** The last query. */
  private sent = { statement: '', binds: '{}' }

  /** `graph` is the name of the graph. */
  constructor(readonly graph: string) {}

  /** Sends a query and returns the texts of its rows. */
  private async rows(statement: string, binds: string, most: number, signal: AbortSignal): Promise<string[]> {
    this.sent = { statement, binds }
    const text = `{"query":${JSON.stringify(statement)},"bindVars":${binds},"batchSize":${most}}`
    const reply = await send({ method: 'POST', path: '/_api/cursor', text }, { signal })
    return members(new Map(attributes(reply)).get('result') ?? '[]')
  }

  /** Does one thing at a time; a new one ends the last. */
  private async attempt(title: string, work: (signal: AbortSignal) => Promise<void>) {
    this.abort?.abort()
    const abort = new AbortController()
    this.abort = abort
    this.running.value = title
    this.error.value = undefined
    this.note.value = ''
    try {
      await work(abort.signal)
    } catch (thrown) {
      if (this.abort === abort) this.error.value = abort.signal.aborted ? new Error('The analysis was stopped.') : thrown
    }
    if (this.abort === abort) this.running.value = ''
  }

  /** Asks for the memory that a run would need. */
  ask(algorithm: Algorithm) {
    return this.attempt('Estimating …', async (signal) => {
      this.estimate.value = undefined
      const [row = '{}'] = await this.rows(ALL, withOptions(bindsOf(this.graph, algorithm, this.form.value), { mode: 'estimate' }), 1, signal)
      this.estimate.value = JSON.parse(row) as Estimate
    })
  }

  /** Runs the algorithm: first for the rows, then for the statistics. */
  run(algorithm: Algorithm, drawn: Graph) {
    return this.attempt('Running …', async (signal) => {
      const binds = bindsOf(this.graph, algorithm, this.form.value)
      const withDrawn = algorithm.byVertex && drawn.order > 0
      const most = MAX_ROWS + (withDrawn ? drawn.order : 0)
      const asked = withDrawn ? withBind(withBind(binds, 'drawn', drawn.nodes()), 'most', most) : binds
      const rows = await this.rows(withDrawn ? firstAndDrawn(algorithm) : firstRows(algorithm), asked, most, signal)
      const values = new Map<string, Row>()
      if (algorithm.byVertex) keep(values, rows)
      this.look.value = lookOf(algorithm, values)
      this.legend.value = undefined
      this.statistics.value = undefined
      this.outcome.value = { algorithm, binds, rows, values, groups: new Map() }
      this.statistics.value = (await this.rows(ALL, withOptions(binds, { mode: 'stats' }), 1, signal))[0]
    })
  }

  /** Fetches the values of vertices that were drawn after the run. */
  async complete(drawn: Graph) {
    const outcome = this.outcome.value
    if (!outcome?.algorithm.byVertex) return
    const missing = drawn.nodes().filter((node) => !outcome.values.has(node))
    if (missing.length === 0 || (this.running.value !== '' && this.running.value !== COMPLETING)) return
    await this.attempt(COMPLETING, async (signal) => {
      try {
        keep(outcome.values, await this.rows(OF_DRAWN, withBind(outcome.binds, 'drawn', missing), missing.length, signal))
      } finally {
        // Vertices whose values did not come are not asked for again, unless a newer call does it.
        if (this.abort?.signal === signal) for (const node of missing) if (!outcome.values.has(node)) outcome.values.set(node, {})
      }
      this.arrivals.value += 1
    })
  }

  /** Writes columns of the result into the documents. */
  write(algorithm: Algorithm, binds: string) {
    return this.attempt('Writing …', async (signal) => {
      const [row = '{}'] = await this.rows(ALL, binds, 1, signal)
      const { written = 0, missing = 0 } = JSON.parse(row) as { written?: number; missing?: number }
      this.note.value = `${algorithm.name}: ${written} documents changed${missing > 0 ? `, ${missing} were gone` : ''}.`
    })
  }

  /** Stops what runs, also where a proxy keeps its connection. */
  async stop() {
    if (this.running.value === '') return
    this.abort?.abort()
    const { algorithm, graph } = JSON.parse(this.sent.binds) as Record<string, unknown>
    await kill(this.sent.statement, { algorithm, graph })
  }

  /** Paints the drawn vertices over their usual colours. */
  paint(drawn: Graph) {
    const outcome = this.outcome.peek()
    if (outcome?.algorithm.byVertex) this.legend.value = paintBy(drawn, outcome.values, this.look.peek(), outcome.groups)
  }

  /** Forgets the result. */
  clear() {
    this.outcome.value = undefined
    this.statistics.value = undefined
    this.legend.value = undefined
    this.note.value = ''
  }
}

function keep(values: Map<string, Row>, rows: string[]) {
  for (const text of rows) {
    const row = JSON.parse(text) as Row
    values.set(String(row.vertex), row)
  }
}

/** Returns the look that suits a result: its first column as the colour. */
function lookOf({ columns, byVertex }: Algorithm, values: Map<string, Row>): Look {
  const [column = ''] = byVertex ? columns : []
  return { column, kind: kindOf(column, [...values.values()].map((row) => row[column])), size: '' }
}

/** Returns the columns of an outcome whose values are numbers. */
export const numeric = ({ algorithm, values }: Outcome) => numericColumns(algorithm.columns, values.values())
