/** Definitions of views: the part that can be changed, and mistakes that can be told at once. */

export type Kind = 'arangosearch' | 'search-alias'

/** A view as the server prints it. */
export interface Definition {
  id: string
  name: string
  type: Kind
  links?: Record<string, unknown>
  indexes?: { collection: string; index: string }[]
  [property: string]: unknown
}

const CHANGEABLE: Record<Kind, string[]> = {
  arangosearch: ['links', 'commitIntervalMsec', 'consolidationIntervalMsec', 'cleanupIntervalStep', 'consolidationPolicy'],
  'search-alias': ['indexes'],
}
const ONLY_NEW = ['primarySort', 'primarySortCompression', 'primarySortCache', 'primaryKeyCache', 'storedValues', 'optimizeTopK', 'writebufferIdle', 'writebufferActive', 'writebufferSizeMax']
const OF_LINK = new Set(['analyzers', 'includeAllFields', 'trackListPositions', 'storeValues', 'cache', 'fields', 'nested', 'inBackground'])

/** Definitions to begin with. */
export const EXAMPLES: Record<Kind, object> = {
  arangosearch: { links: {}, primarySort: [], storedValues: [] },
  'search-alias': { indexes: [] },
}

/** Returns the collections that a view searches, each once. */
export function collectionsOf(view: Definition): string[] {
  return [...new Set([...Object.keys(view.links ?? {}), ...(view.indexes ?? []).map((one) => one.collection)])]
}

/** Returns the properties that can be changed, in a good order, as text. */
export function changeable(view: Definition): string {
  return JSON.stringify(Object.fromEntries(CHANGEABLE[view.type].map((name) => [name, view[name]])), null, 2)
}

/** Returns the other properties with their values as text. */
export function fixed(view: Definition): [string, string][] {
  return ONLY_NEW.filter((name) => name in view).map((name) => [name, JSON.stringify(view[name])])
}

/** Returns what is wrong with a definition; an empty text if nothing is. */
export function mistake(text: string, kind: Kind, isNew: boolean): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  if (!isObject(value)) return 'The definition must be an object.'
  const known = new Set([...CHANGEABLE[kind], ...(isNew && kind === 'arangosearch' ? ONLY_NEW : [])])
  const unknown = Object.keys(value).find((name) => !known.has(name))
  if (unknown !== undefined) return isNew || !ONLY_NEW.includes(unknown) ? `"${unknown}" is no property of such a view.` : `"${unknown}" can be set for a new view only.`
  if (kind === 'search-alias') return mistakeOfIndexes(value.indexes ?? [])
  return mistakeOfMap(value.links ?? {}, 'links', true)
}

function mistakeOfIndexes(indexes: unknown): string {
  if (!Array.isArray(indexes)) return '"indexes" must be an array.'
  const isWrong = (one: unknown) => !isObject(one) || typeof one.collection !== 'string' || typeof one.index !== 'string'
  return indexes.some(isWrong) ? 'Each element of "indexes" must have a "collection" and an "index".' : ''
}

function mistakeOfMap(map: unknown, place: string, isTop: boolean): string {
  if (!isObject(map)) return `${place} must be an object.`
  for (const [name, field] of Object.entries(map)) {
    const here = `${place}.${name}`
    if (isTop && field === null) continue
    if (!isObject(field)) return `${here} must be an object.`
    const unknown = Object.keys(field).find((attribute) => !OF_LINK.has(attribute))
    if (unknown !== undefined) return `"${unknown}" in ${here} is no property of a link. Attributes to index stand in "fields".`
    for (const below of ['fields', 'nested']) {
      const found = field[below] === undefined ? '' : mistakeOfMap(field[below], `${here}.${below}`, false)
      if (found) return found
    }
  }
  return ''
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
