/** A query in a tab: its text, its parameters, and what came of it. */
import { computed, signal } from '@preact/signals'
import type { Diagnostic } from '@codemirror/lint'
import { database, link } from '../lib/address'
import type { Call } from '../lib/api'
import { ask } from '../lib/session'
import { Cursor } from './cursor'
import { remember } from './history'
import type { Plan, NodeStatistics } from './plan'
import { marks } from './position'
import { kill } from './stop'

export type View = 'Table' | 'JSON' | 'Graph' | 'Map' | 'Chart' | 'Plan' | 'Profile'

export interface Planned {
  plan: Plan
  nodes?: NodeStatistics[]
  warnings: { code: number; message: string }[]
}

let lastId = 0

export class Query {
  readonly id = ++lastId
  readonly text = signal('')
  /** Bind parameters as the text of a JSON object. */
  readonly bindText = signal('{}')
  /** The bind parameters that the query names; those of collections begin with `@`. */
  readonly bindNames = signal<string[]>([])
  /** The places of errors in the text. */
  readonly marks = signal<Diagnostic[]>([])
  readonly error = signal<unknown>(undefined)
  readonly cursor = signal<Cursor | undefined>(undefined)
  readonly planned = signal<Planned | undefined>(undefined)
  readonly view = signal<View>('Table')
  readonly running = signal<AbortController | undefined>(undefined)
  /** Ends the mode in which changes of collections run the query again; absent outside of it. */
  readonly live = signal<(() => void) | undefined>(undefined)
  /** The text and the parameters of the result and the plan that are shown. */
  private shown = ''

  /** The text that ran last, and is in the history. */
  readonly ran = signal('')

  constructor(text = '', bindText = '{}', ran = '') {
    this.text.value = text
    this.bindText.value = bindText
    this.ran.value = ran
  }

  /** True for a text that is nowhere else. */
  readonly isUnsaved = computed(() => this.text.value.trim() !== '' && this.text.value !== this.ran.value)

  /** The values of the parameters, or the error of their text. */
  readonly binds = computed<{ values: Record<string, unknown>; error?: string }>(() => {
    try {
      const values: unknown = JSON.parse(this.bindText.value.trim() || '{}')
      if (typeof values === 'object' && values !== null && !Array.isArray(values)) return { values: values as Record<string, unknown> }
      return { values: {}, error: 'Bind parameters must be a JSON object.' }
    } catch (error) {
      return { values: {}, error: (error as Error).message }
    }
  })

  /** The first line of the text, as the title of the tab. */
  readonly title = computed(() => this.text.value.trim().split('\n')[0]?.slice(0, 24) || 'New query')

  /** Returns the parameters that the query uses; the server refuses others. */
  used(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.binds.value.values).filter(([name]) => this.bindNames.value.includes(name)))
  }

  /** Sets the value of a parameter. */
  bind(name: string, value: unknown) {
    this.bindText.value = JSON.stringify({ ...this.binds.value.values, [name]: value }, null, 2)
  }

  /** Writes the query in its usual form. */
  async format() {
    const { format } = await import('./format')
    this.text.value = format(this.text.value)
  }

  /** Puts the query into the address of the page, so that the address can be kept or passed on. */
  private toAddress() {
    const parameters: Record<string, string> = { query: this.text.value }
    if (Object.keys(this.used()).length > 0) parameters.binds = JSON.stringify(this.used())
    const address = link(['queries'], parameters)
    if (address.length < 8000) history.replaceState(null, '', address)
  }

  /** Asks the server for the parameters and mistakes of the query. */
  async parse(signal: AbortSignal) {
    const query = this.text.value
    if (query.trim() === '') {
      this.bindNames.value = []
      this.marks.value = []
      return
    }
    try {
      const call: Call = { method: 'POST', path: '/_api/query', body: { query } }
      const { bindVars } = await ask<{ bindVars: string[] }>(call, { quiet: true, signal })
      this.bindNames.value = bindVars
      this.marks.value = []
    } catch (thrown) {
      if (!signal.aborted) this.marks.value = marks(thrown, query)
    }
  }

  /** Drops the result and the plan of another query: they are not shown beside each other. */
  private dropOthers() {
    const asked = JSON.stringify([database.value, this.text.value, this.used()])
    if (asked === this.shown) return
    this.shown = asked
    this.close()
    this.cursor.value = undefined
    this.planned.value = undefined
  }

  private async attempt(work: (signal: AbortSignal) => Promise<void>) {
    if (this.running.value || this.text.value.trim() === '') return
    const abort = new AbortController()
    this.running.value = abort
    this.error.value = undefined
    this.marks.value = []
    try {
      // The parameters of a text that was just typed are not known yet.
      await this.parse(abort.signal)
      this.toAddress()
      this.dropOthers()
      await work(abort.signal)
    } catch (thrown) {
      this.error.value = abort.signal.aborted ? new Error('The query was stopped.') : thrown
      this.marks.value = marks(thrown, this.text.value)
    }
    this.running.value = undefined
  }

  /**
   * Runs the query. With a profile, the time of every node of its plan is measured. A repetition
   * leaves the last result in its place until the next is there.
   */
  run(withProfile = false, isRepeated = false) {
    return this.attempt(async (signal) => {
      if (!isRepeated) {
        this.close()
        this.cursor.value = undefined
      }
      const found = await Cursor.run(this.text.value, this.used(), withProfile ? { profile: 2 } : {}, signal)
      this.close()
      this.cursor.value = found
      const { plan, stats, warnings = [] } = found.extra
      if (plan) this.planned.value = { plan, nodes: stats?.nodes, warnings }
      if (withProfile) this.view.value = 'Profile'
      else if (this.view.value === 'Plan' || this.view.value === 'Profile') this.view.value = 'Table'
      this.ran.value = this.text.value
      if (isRepeated) return
      const run = { query: this.text.value, binds: JSON.stringify(this.used()), database: database.value }
      remember(run).catch(() => {})
    })
  }

  /** Shows the plan of the query. */
  explain() {
    return this.attempt(async (signal) => {
      const body = { query: this.text.value, bindVars: this.used() }
      const { plan, warnings } = await ask<Planned>({ method: 'POST', path: '/_api/explain', body }, { signal })
      this.planned.value = { plan, warnings }
      this.view.value = 'Plan'
    })
  }

  /** Stops the running query, also where a proxy keeps its connection. */
  stop() {
    this.running.value?.abort()
    return kill(this.text.value)
  }

  /** Ends the cursor of the last run on the server. */
  close() {
    void this.cursor.value?.close()
  }
}
