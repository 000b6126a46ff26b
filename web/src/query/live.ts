/** Queries that run again when their collections change. */
import { effect } from '@preact/signals'
import { follow } from '../changes/feed'
import type { Call } from '../lib/api'
import { ask } from '../lib/session'
import type { Query } from './Query'

/** Milliseconds from a change to the run, in which further changes may come. */
const PAUSE = 500

interface Explained {
  plan: { collections: { name: string }[]; isModificationQuery?: boolean }
}

/** Returns the collections that a query reads. Errors: those of its plan; a query that writes. */
async function collectionsOf(query: Query, signal: AbortSignal): Promise<string[]> {
  await query.parse(signal)
  const call: Call = { method: 'POST', path: '/_api/explain', body: { query: query.text.value, bindVars: query.used() } }
  const { plan } = await ask<Explained>(call, { quiet: true, signal })
  if (plan.isModificationQuery) throw new Error('A query that writes does not run again by itself.')
  if (plan.collections.length === 0) throw new Error('The query reads no collection whose changes could be followed.')
  return plan.collections.map(({ name }) => name)
}

/** Runs a query, and again whenever its collections change, until it is stopped, edited or fails. */
export async function begin(query: Query) {
  const abort = new AbortController()
  const stop = () => {
    abort.abort()
    query.live.value = undefined
  }
  query.live.value = stop
  const content = () => JSON.stringify([query.text.value, query.bindText.value])
  const began = content()
  const forget = effect(() => {
    if (content() !== began) stop()
  })
  try {
    const collections = await collectionsOf(query, abort.signal)
    // The position comes before the result, so that no change is between them.
    const call: Call = { method: 'POST', path: '/_api/changes', body: { collections } }
    const { token } = await ask<{ token: string }>(call, { quiet: true, signal: abort.signal })
    const again = runner(query, abort.signal, stop)
    await query.run()
    if (query.error.value) stop()
    await follow({ since: token, collections }, abort.signal, again, () => {})
  } catch (error) {
    if (!abort.signal.aborted) query.error.value = error
  }
  forget()
  stop()
}

/** Returns a call that runs the query a little later, once for all calls until then. */
function runner(query: Query, signal: AbortSignal, stop: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const run = async () => {
    timer = undefined
    if (signal.aborted) return
    // A hidden page and a run of the user come first.
    if (document.hidden || query.running.value) return again()
    await query.run(false, true)
    if (query.error.value) stop()
  }
  const again = () => {
    timer ??= setTimeout(() => void run(), PAUSE)
  }
  return again
}
