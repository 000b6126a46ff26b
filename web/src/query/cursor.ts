/** The result of a query, which is fetched from the server's cursor batch by batch. */
import { signal } from '@preact/signals'
import { attributes, members } from '../lib/json'
import { ask, send } from '../lib/session'
import { database } from '../lib/address'
import type { Plan, NodeStatistics } from './plan'

/** The reply of the server to a query, without its rows. */
export interface Extra {
  warnings?: { code: number; message: string }[]
  stats?: Statistics
  profile?: Record<string, number>
  plan?: Plan
}

export interface Statistics {
  executionTime: number
  peakMemoryUsage: number
  writesExecuted: number
  scannedFull: number
  scannedIndex: number
  filtered: number
  fullCount?: number
  nodes?: NodeStatistics[]
}

export interface Options {
  /** 2 measures the time of every node. */
  profile?: 2
  /** True to compute rows while they are read. */
  stream?: boolean
}

/** Seconds for which the server keeps a cursor that nobody reads. */
const TTL_SECONDS = 600
/** Rows of the first batches, so that a table is full at once, and of later ones. */
const BATCH_ROWS = 1000

/** The rows of a query so far. */
export class Cursor {
  /** The text of each row. */
  readonly rows: string[] = []
  /** The number of rows so far; changes tell readers to look. */
  readonly count = signal(0)
  readonly hasMore = signal(true)
  extra: Extra = {}
  /** The number of all rows. */
  total = 0
  private id: string | undefined
  private readonly database = database.value
  private loading: Promise<void> | undefined

  private constructor() {}

  /** Runs a query and fetches its first rows. */
  static async run(query: string, bindVars: Record<string, unknown>, options: Options, signal: AbortSignal) {
    const cursor = new Cursor()
    // A streamed query does not know the number of its rows.
    const body = { query, bindVars, batchSize: BATCH_ROWS, count: !options.stream, ttl: TTL_SECONDS, options }
    cursor.add(await send({ method: 'POST', path: '/_api/cursor', body }, { signal }))
    return cursor
  }

  /** Fetches the next batch. Calls at the same time fetch one batch. */
  more(): Promise<void> {
    if (!this.hasMore.value || this.id === undefined) return Promise.resolve()
    this.loading ??= this.next().finally(() => (this.loading = undefined))
    return this.loading
  }

  private async next() {
    const path = `/_api/cursor/${this.id}`
    this.add(await send({ method: 'POST', path, database: this.database }, { quiet: true }))
  }

  /** Ends the cursor on the server. */
  async close() {
    if (!this.hasMore.value || this.id === undefined) return
    const path = `/_api/cursor/${this.id}`
    await ask({ method: 'DELETE', path, database: this.database }, { quiet: true }).catch(() => {})
  }

  private add(reply: string) {
    const parts = new Map(attributes(reply))
    for (const row of members(parts.get('result') ?? '[]')) this.rows.push(row)
    this.extra = { ...this.extra, ...(JSON.parse(parts.get('extra') ?? '{}') as Extra) }
    this.id = JSON.parse(parts.get('id') ?? 'null') ?? undefined
    this.hasMore.value = parts.get('hasMore') === 'true'
    this.total = Math.max(this.rows.length, Number(parts.get('count') ?? 0))
    this.count.value = this.rows.length
  }
}
