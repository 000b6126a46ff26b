/** The tabs of queries. They outlive their page. */
import { computed, effect, signal } from '@preact/signals'
import { place } from '../lib/address'
import { user, whenUserChanges } from '../lib/session'
import { TabStore } from '../lib/tabStore'
import { Query } from './Query'

export const queries = signal<Query[]>([new Query()])

const chosen = signal(0)

/** The tabs for a reload, with the address that the page had then. */
interface Kept {
  address: string
  chosen: number
  queries: { text: string; bindText: string; ran: string }[]
}

const store = new TabStore<Kept>('queries')
let isRestored = false

whenUserChanges(() => {
  queries.value = [new Query()]
  store.forget()
})

/** The query of the tab that is shown. */
export const current = computed(() => queries.value[Math.min(chosen.value, queries.value.length - 1)] as Query)

/** Shows the tab of a query. */
export function choose(query: Query) {
  chosen.value = queries.value.indexOf(query)
}

/** Opens a query in a tab of its own, or in the present one if that is empty. */
export function open(text: string, bindText = '{}') {
  const query = new Query(text, bindText)
  const isEmpty = current.value.text.value.trim() === '' && text !== ''
  queries.value = isEmpty ? queries.value.map((one) => (one === current.value ? query : one)) : [...queries.value, query]
  choose(query)
}

/** Closes the tab of a query and stops the query. */
export function close(query: Query) {
  query.running.value?.abort()
  query.close()
  const index = queries.value.indexOf(query)
  const others = queries.value.filter((one) => one !== query)
  if (chosen.value > index || chosen.value === others.length) chosen.value = Math.max(0, chosen.value - 1)
  queries.value = others.length === 0 ? [new Query()] : others
}

/** Opens the tabs that were there before a reload, and keeps them from then on. */
export function restoreTabs() {
  if (isRestored) return
  isRestored = true
  const kept = store.read(user.peek())
  if (kept && kept.queries.length > 0) {
    queries.value = kept.queries.map((one) => new Query(one.text, one.bindText, one.ran))
    chosen.value = kept.chosen
    // Otherwise the page was opened by a link to a query.
    if (kept.address !== location.hash) openFromAddress()
  } else openFromAddress()
  let timer: ReturnType<typeof setTimeout> | undefined
  effect(() => {
    const now = queries.value.map((one) => ({ text: one.text.value, bindText: one.bindText.value, ran: one.ran.value }))
    const at = chosen.value
    clearTimeout(timer)
    const keep = () => store.write(user.peek(), { address: location.hash, chosen: at, queries: now })
    timer = setTimeout(keep, PAUSE)
    keepNow = keep
  })
  addEventListener('pagehide', () => keepNow())
}

/** Milliseconds after the last key until the tabs are kept. */
const PAUSE = 300
let keepNow = () => {}

/** Opens the query that the address of the page names, unless it is shown. */
export function openFromAddress() {
  const query = place.peek().parameters.get('query')
  if (query === null || query === current.peek().text.peek()) return
  open(query, place.peek().parameters.get('binds') ?? '{}')
}
