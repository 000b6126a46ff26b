/** The inputs of the shell, the newest last, kept in the user's configuration on the server. */
import { signal } from '@preact/signals'
import type { Call } from '../lib/api'
import { StoredSetting } from '../lib/storedSettings'
import { whenUserChanges } from '../lib/session'
import type { Outcome } from './session'

const MAX_INPUTS = 200
/** Exchanges that the page shows. */
const MAX_SHOWN = 200

/** An input and what came of it; no outcome while it runs. */
export interface Exchange {
  id: number
  input: string
  /** The request, once it is sent. */
  call?: Call
  outcome?: Outcome
  /** Ends the program. */
  abort: AbortController
}

export const inputs = new StoredSetting<string[]>('persea-shell', (stored) => (Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []))

/** The exchanges of this page. They outlive the page of the shell. */
export const exchanges = signal<Exchange[]>([])

whenUserChanges(() => {
  exchanges.value = []
})

let lastId = 0

/** Adds an input, and returns its exchange. */
export function begin(input: string): Exchange {
  lastId += 1
  const exchange = { id: lastId, input, abort: new AbortController() }
  exchanges.value = [...exchanges.value, exchange].slice(-MAX_SHOWN)
  inputs.store([...inputs.value.value.filter((one) => one !== input), input].slice(-MAX_INPUTS))
  return exchange
}

/** Adds the request or the outcome of an exchange. */
export function change({ id }: Exchange, news: Pick<Exchange, 'call' | 'outcome'>) {
  exchanges.value = exchanges.value.map((one) => (one.id === id ? { ...one, ...news } : one))
}
