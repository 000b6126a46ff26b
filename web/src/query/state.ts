/** The query of this tab: its text, its parameters, and what came of it. It outlives its page. */
import { computed, signal } from '@preact/signals'
import type { Diagnostic } from '@codemirror/lint'
import { database, link, place } from '../lib/address'
import type { Call } from '../lib/call'
import { ask, user } from '../lib/session'
import { Cursor } from './cursor'
import { remember } from './history'
import type { Plan, NodeStatistics } from './plan'
import { marks } from './position'

export type View = 'Table' | 'JSON' | 'Plan' | 'Profile'

export const text = signal('')
/** Bind parameters as the text of a JSON object. */
export const bindText = signal('{}')
/** The bind parameters that the query names; those of collections begin with `@`. */
export const bindNames = signal<string[]>([])
export const errors = signal<Diagnostic[]>([])
export const error = signal<unknown>(undefined)
export const cursor = signal<Cursor | undefined>(undefined)
export const plan = signal<{ plan: Plan; nodes?: NodeStatistics[]; warnings: { code: number; message: string }[] } | undefined>(undefined)
export const view = signal<View>('Table')
export const running = signal<AbortController | undefined>(undefined)

/** The values of the parameters, or the error of their text. */
export const binds = computed<{ values: Record<string, unknown>; error?: string }>(() => {
  try {
    const values: unknown = JSON.parse(bindText.value.trim() || '{}')
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) return { values: values as Record<string, unknown> }
    return { values: {}, error: 'Bind parameters must be a JSON object.' }
  } catch (error) {
    return { values: {}, error: (error as Error).message }
  }
})

/** The parameters that the query uses; the server refuses others. */
const used = () => Object.fromEntries(Object.entries(binds.value.values).filter(([name]) => bindNames.value.includes(name)))

/** Takes the query that the address of the page names. */
export function openFromAddress() {
  const { parameters } = place.peek()
  const query = parameters.get('query')
  if (query === null || query === text.peek()) return
  text.value = query
  bindText.value = parameters.get('binds') ?? '{}'
}

/** Puts the query into the address of the page, so that the address can be kept or passed on. */
function toAddress() {
  const parameters: Record<string, string> = { query: text.value }
  if (Object.keys(used()).length > 0) parameters.binds = JSON.stringify(used())
  const address = link(['queries'], parameters)
  if (address.length < 8000) history.replaceState(null, '', address)
}

/** Asks the server for the parameters and mistakes of the query. */
export async function parse(signal: AbortSignal) {
  const query = text.value
  if (query.trim() === '') {
    bindNames.value = []
    errors.value = []
    return
  }
  try {
    const call: Call = { method: 'POST', path: '/_api/query', body: { query } }
    const { bindVars } = await ask<{ bindVars: string[] }>(call, { quiet: true, signal })
    bindNames.value = bindVars
    errors.value = []
  } catch (thrown) {
    if (!signal.aborted) errors.value = marks(thrown, query)
  }
}

async function attempt(work: (signal: AbortSignal) => Promise<void>) {
  if (running.value || text.value.trim() === '') return
  const abort = new AbortController()
  running.value = abort
  error.value = undefined
  errors.value = []
  toAddress()
  try {
    // The parameters of a text that was just typed are not known yet.
    await parse(abort.signal)
    await work(abort.signal)
  } catch (thrown) {
    error.value = abort.signal.aborted ? new Error('The query was stopped.') : thrown
    errors.value = marks(thrown, text.value)
  }
  running.value = undefined
}

/** Runs the query. With a profile, the time of every node of its plan is measured. */
export function run(withProfile = false) {
  return attempt(async (signal) => {
    void cursor.value?.close()
    cursor.value = undefined
    const found = await Cursor.run(text.value, used(), withProfile ? { profile: 2 } : {}, signal)
    cursor.value = found
    const { plan: profiled, stats, warnings = [] } = found.extra
    if (profiled) plan.value = { plan: profiled, nodes: stats?.nodes, warnings }
    if (withProfile) view.value = 'Profile'
    else if (view.value === 'Plan' || view.value === 'Profile') view.value = 'Table'
    remember({ query: text.value, binds: JSON.stringify(used()), database: database.value })
  })
}

/** Shows the plan of the query. */
export function explain() {
  return attempt(async (signal) => {
    const body = { query: text.value, bindVars: used() }
    type Reply = { plan: Plan; warnings: { code: number; message: string }[] }
    const reply = await ask<Reply>({ method: 'POST', path: '/_api/explain', body }, { signal })
    plan.value = { plan: reply.plan, warnings: reply.warnings }
    view.value = 'Plan'
  })
}

/**
 * Stops the running query. The server ends it when the connection closes; a proxy between may keep
 * the connection, so the query is also killed by its number.
 */
export async function stop() {
  const query = text.value
  running.value?.abort()
  type Running = { id: string; query: string; user: string }
  const list = await ask<Running[]>({ method: 'GET', path: '/_api/query/current' }, { quiet: true })
  for (const one of list.filter((one) => one.query === query && (user.value === null || one.user === user.value))) {
    await ask({ method: 'DELETE', path: `/_api/query/${one.id}` }).catch(() => {})
  }
}
