/** The queries that the user ran and saved, kept in the user's configuration on the server. */
import { signal } from '@preact/signals'
import { path } from '../lib/call'
import { ask, user, whenUserChanges } from '../lib/session'

export interface Remembered {
  query: string
  /** The text of a JSON object. */
  binds: string
  database: string
  /** The name of a saved query. */
  name?: string
}

interface Kept {
  history: Remembered[]
  saved: Remembered[]
}

const MOST_IN_HISTORY = 100
const KEY = 'persea-queries'

export const kept = signal<Kept>({ history: [], saved: [] })
let loading: Promise<void> | undefined
let timer: ReturnType<typeof setTimeout> | undefined

// Without authentication there is one configuration for all.
const address = () => path`/_api/user/${user.value ?? 'root'}/config/${KEY}`

whenUserChanges(() => {
  clearTimeout(timer)
  loading = undefined
  kept.value = { history: [], saved: [] }
})

/** Loads the queries once. */
export function loadHistory(): Promise<void> {
  loading ??= load().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load() {
  const { result } = await ask<{ result: Partial<Kept> | null }>({ method: 'GET', path: address() }, { quiet: true })
  kept.value = { history: result?.history ?? [], saved: result?.saved ?? [] }
}

function store(next: Kept) {
  kept.value = next
  clearTimeout(timer)
  timer = setTimeout(() => {
    const body = { value: next }
    ask({ method: 'PUT', path: address(), body }, { quiet: true }).catch(() => {})
  }, 1000)
}

const isSame = (left: Remembered, right: Remembered) =>
  left.query === right.query && left.binds === right.binds && left.database === right.database

/** Puts a query that ran at the top of the history. */
export async function remember(query: Remembered) {
  await loadHistory()
  const history = [query, ...kept.value.history.filter((old) => !isSame(old, query))].slice(0, MOST_IN_HISTORY)
  store({ ...kept.value, history })
}

/** Saves a query by its name. */
export function save(query: Remembered) {
  store({ ...kept.value, saved: [...kept.value.saved.filter((old) => old.name !== query.name), query] })
}

/** Removes a saved query. */
export function forget(name: string) {
  store({ ...kept.value, saved: kept.value.saved.filter((old) => old.name !== name) })
}
