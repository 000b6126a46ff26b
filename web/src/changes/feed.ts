/** Changes as they come, from the server's change log. */
import { signal } from '@preact/signals'
import { type Call, Failure } from '../lib/api'
import { ask, open } from '../lib/session'
import { linesOf } from './lines'

/** What to read. `since` follows what was read. */
export interface Wanted {
  since: string
  /** The names of collections; all without it. */
  collections?: string[]
  /** An AQL expression over one change. */
  filter?: string
}

/** The attributes of a change that are looked at. */
export interface Facts {
  token?: string
  operation?: string
  collection?: string
  key?: string
  time?: string
  transaction?: string
  error?: boolean
  code?: number
}

export type State = 'connecting' | 'live' | 'away' | 'paused' | 'failed'

/** Milliseconds until the first and until a later attempt to reach the server again. */
const FIRST_PAUSE = 500
const LAST_PAUSE = 5000
/** The error of a log that begins once older transactions have ended. */
const NOT_BEGUN = 18

/** Returns true for a failure that may be over at the next attempt. */
const isPassing = (error: unknown) => !(error instanceof Failure) || error.status === 0 || error.status >= 500 || error.number === NOT_BEGUN

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

const call = (body: unknown, headers?: Record<string, string>): Call => ({ method: 'POST', path: '/_api/changes', body, headers })

/**
 * Reads changes until `signal` ends it. After a break it resumes behind the last change.
 *
 * Errors: `Failure` if the server refuses.
 */
export async function follow(wanted: Wanted, signal: AbortSignal, onChange: (line: string, facts: Facts) => void, onState: (state: State) => void) {
  let milliseconds = FIRST_PAUSE
  while (!signal.aborted) {
    try {
      // A break before the first change must lose nothing.
      if (wanted.since === 'now') wanted.since = (await ask<{ token: string }>(call(wanted), { quiet: true, signal })).token
      const reply = await open(call(wanted, { accept: 'application/x-ndjson' }), { signal })
      if (!reply.ok || !reply.body) throw Failure.of(reply.status, await reply.text())
      onState('live')
      milliseconds = FIRST_PAUSE
      for await (const line of linesOf(reply.body)) {
        const facts = JSON.parse(line) as Facts
        if (facts.error) throw Failure.of(facts.code ?? 500, line)
        if (facts.operation !== 'heartbeat') onChange(line, facts)
        wanted.since = facts.token ?? wanted.since
      }
    } catch (error) {
      if (!signal.aborted && !isPassing(error)) throw error
    }
    if (signal.aborted) return
    onState('away')
    await pause(milliseconds, signal)
    milliseconds = Math.min(2 * milliseconds, LAST_PAUSE)
  }
}

/** A change in the table. */
export interface Change extends Facts {
  /** The JSON that the server sent. */
  text: string
}

/** The maximum number of changes to keep. */
const MOST = 1000
/** Milliseconds between two updates of the table. */
const STEP = 150

/** The changes of a page. */
export class Feed {
  /** The newest come first. */
  readonly changes = signal<Change[]>([])
  /** All changes so far, also those that are not kept. */
  readonly count = signal(0)
  readonly state = signal<State>('paused')
  readonly error = signal<unknown>(undefined)
  private abort: AbortController | undefined
  private arrived: Change[] = []
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly wanted: Wanted) {}

  /** Begins, or goes on behind the last change. */
  start() {
    this.pause()
    const abort = new AbortController()
    this.abort = abort
    this.state.value = 'connecting'
    this.error.value = undefined
    const onChange = (text: string, facts: Facts) => {
      this.arrived.push({ ...facts, text })
      this.timer ??= setTimeout(() => this.flush(), STEP)
    }
    const onState = (state: State) => abort.signal.aborted || (this.state.value = state)
    follow(this.wanted, abort.signal, onChange, onState).catch((error) => {
      if (abort.signal.aborted) return
      this.error.value = error
      this.state.value = 'failed'
    })
  }

  /** Begins with the oldest change that the log has. */
  restart() {
    this.wanted.since = 'earliest'
    this.start()
  }

  pause() {
    this.abort?.abort()
    this.abort = undefined
    this.flush()
    this.state.value = 'paused'
  }

  /** Empties the table. */
  clear() {
    this.flush()
    this.changes.value = []
    this.count.value = 0
  }

  private flush() {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.arrived.length === 0) return
    this.count.value += this.arrived.length
    this.changes.value = [...this.arrived.toReversed(), ...this.changes.value].slice(0, MOST)
    this.arrived = []
  }
}
