/** The tabs of queries. They outlive their page. */
import { computed, signal } from '@preact/signals'
import { place } from '../lib/address'
import { whenUserChanges } from '../lib/session'
import { Query } from './Query'

export const queries = signal<Query[]>([new Query()])

const chosen = signal(0)

whenUserChanges(() => {
  queries.value = [new Query()]
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

/** Opens the query that the address of the page names, unless it is shown. */
export function openFromAddress() {
  const query = place.peek().parameters.get('query')
  if (query === null || query === current.peek().text.peek()) return
  open(query, place.peek().parameters.get('binds') ?? '{}')
}
