/** The entries of the server's log, as they are loaded. */
import { Failure } from '../lib/api'
import { type Loaded, useEvery, useLoaded } from '../lib/load'
import { ask } from '../lib/session'

/** An entry of the log. */
export interface Line {
  id: number
  topic: string
  level: string
  date: string
  message: string
}

/** Maximum number of entries that a server keeps in memory. */
export const MAX_KEPT = 4096

/** Milliseconds between two requests of a page that is open. */
const INTERVAL = 3000

/** Returns the time of an entry, to the millisecond. */
export const timeOf = ({ date }: Line) => date.replace('T', ' ').slice(0, 23)

// The current database answers a user without any right to `_system` with the right that is missing.
async function load(upto: string, search: string, size: number, signal: AbortSignal): Promise<Line[]> {
  const query = new URLSearchParams({ upto, size: String(size), sort: 'desc' })
  if (search) query.set('search', search)
  return (await ask<{ messages: Line[] }>({ method: 'GET', path: `/_admin/log/entries?${query}` }, { quiet: true, signal })).messages
}

interface Lines extends Pick<Loaded<Line[]>, 'value' | 'error'> {
  /** True if the user may not read the log. */
  isRefused: boolean
}

/** Loads the newest entries up to a level that contain a text, again and again while the page is visible. */
export function useLines(upto: string, search: string, size: number): Lines {
  const { value, error, reload } = useLoaded((signal) => load(upto, search, size, signal), [upto, search, size])
  const isRefused = error instanceof Failure && error.status === 403
  // The server's audit notes each refusal.
  useEvery(INTERVAL, () => isRefused || reload())
  return { value, error, isRefused }
}
