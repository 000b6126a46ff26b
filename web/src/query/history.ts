/** The queries that the user ran and saved, kept in the user's configuration on the server. */
import { StoredSetting } from '../lib/storedSettings'

export interface Remembered {
  query: string
  /** The text of a JSON object. */
  binds: string
  database: string
  /** The name of a saved query. */
  name?: string
}

interface Queries {
  history: Remembered[]
  saved: Remembered[]
}

const MAX_HISTORY = 100

const queries = new StoredSetting<Queries>('persea-queries', (stored) => ({ history: [], saved: [], ...(stored as Partial<Queries> | null) }))

export const kept = queries.value

/** Loads the queries once. */
export function loadHistory(): Promise<void> {
  return queries.load()
}

const isSame = (left: Remembered, right: Remembered) =>
  left.query === right.query && left.binds === right.binds && left.database === right.database

/** Puts a query that ran at the top of the history. */
export async function remember(query: Remembered) {
  await loadHistory()
  const history = [query, ...kept.value.history.filter((old) => !isSame(old, query))].slice(0, MAX_HISTORY)
  queries.store({ ...kept.value, history })
}

/** Saves a query by its name. */
export function save(query: Remembered) {
  queries.store({ ...kept.value, saved: [...kept.value.saved.filter((old) => old.name !== query.name), query] })
}

/** Removes a saved query. */
export function forget(name: string) {
  queries.store({ ...kept.value, saved: kept.value.saved.filter((old) => old.name !== name) })
}
