/** The session of the shell on the server, whose inputs share their variables. */
import { database } from '../lib/address'
import { type Call, Failure, path } from '../lib/api'
import { ask, exchange, send, whenUserChanges } from '../lib/session'

/** The outcome of an input. */
export interface Outcome {
  /** The text that `print` and `console` wrote. */
  printed: string
  /** The result as text; absent if it is undefined. */
  shown?: string
  /** The exception that the input did not catch, or why the input did not run. */
  exception?: string
  /** True if the variables of earlier inputs are gone. */
  isNew?: boolean
}

/** Returns the call that runs an input in a session. */
export function callOf(session: string, input: string): Call {
  return { method: 'POST', path: path`/_admin/shell/${session}`, text: input, headers: { 'content-type': 'text/javascript' } }
}

/** The sessions of this page, by database; `undefined` while they are opened. */
const sessions = new Map<string, string | undefined>()

/** The end of the last input: inputs run one after another. */
let last: Promise<unknown> = Promise.resolve()

const endAll = () => {
  for (const name of sessions.keys()) endSession(name)
}

whenUserChanges(endAll)
addEventListener('pagehide', endAll)

/** Returns the session of a database, which is opened if there is none. */
async function sessionOf(name: string): Promise<string> {
  const known = sessions.get(name)
  if (known !== undefined) return known
  sessions.set(name, undefined)
  const { id } = await ask<{ id: string }>({ method: 'POST', path: '/_admin/shell', database: name }, { quiet: true })
  // The user may have abandoned it while it started. The server then ends it after its idle time.
  if (sessions.has(name)) sessions.set(name, id)
  return id
}

/** Ends the session of a database; the next input begins another. */
export function endSession(name: string) {
  const id = sessions.get(name)
  sessions.delete(name)
  // It may have ended by itself.
  if (id !== undefined) send({ method: 'DELETE', path: path`/_admin/shell/${id}`, database: name }, { quiet: true, keepalive: true }).catch(() => {})
}

/**
 * Runs an input after those before it. `onCall` gets the request. A session that has ended, or was
 * on a server that has started again, is followed by a new one.
 *
 * Errors: `Failure`, and `AbortError`.
 */
export function run(input: string, signal: AbortSignal, onCall: (call: Call) => void): Promise<Outcome> {
  const name = database.value
  const outcome = last.then(() => runNow(name, input, signal, onCall))
  last = outcome.catch(() => {})
  return outcome
}

async function runNow(name: string, input: string, signal: AbortSignal, onCall: (call: Call) => void): Promise<Outcome> {
  const hadSession = sessions.get(name) !== undefined
  const attempt = async () => {
    signal.throwIfAborted()
    const call = { ...callOf(await sessionOf(name), input), database: name }
    onCall(call)
    return exchange(call, { signal })
  }
  let { status, text } = await attempt()
  const isNew = hadSession && status === 404
  if (isNew) {
    sessions.delete(name)
    ;({ status, text } = await attempt())
  }
  if (status < 200 || status >= 300) throw Failure.of(status, text)
  return { ...(JSON.parse(text) as Outcome), isNew }
}
