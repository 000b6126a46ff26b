/** Queries that change or remove many documents at once. */
import { type Filter, filterLines, valueOf } from './filter'

/** The documents that a query is about: some by their keys, or all that filters find. */
export type Target = { keys: string[] } | { filters: Filter[] }

/** An attribute that gets a value, or goes. */
export interface Edit {
  /** A path such as `address.city`. */
  attribute: string
  /** JSON, or text without quotes. */
  value: string
  isRemoved: boolean
}

export interface Statement {
  query: string
  binds: Record<string, unknown>
}

/** Returns the query that removes documents. */
export function removal(collection: string, target: Target): Statement {
  const binds: Record<string, unknown> = { '@collection': collection }
  const { lines, variable } = loop(target, binds)
  return { query: [...lines, `  REMOVE ${variable} IN @@collection`].join('\n'), binds }
}

/** Returns the query that changes attributes of documents; the other attributes stay. */
export function change(collection: string, target: Target, edits: Edit[]): Statement {
  const binds: Record<string, unknown> = { '@collection': collection }
  const { lines, variable } = loop(target, binds)
  binds.changes = changesOf(edits)
  const options = edits.some((edit) => edit.isRemoved) ? ' OPTIONS { keepNull: false }' : ''
  return { query: [...lines, `  UPDATE ${variable} WITH @changes IN @@collection${options}`].join('\n'), binds }
}

function loop(target: Target, binds: Record<string, unknown>): { lines: string[]; variable: string } {
  if ('filters' in target) return { lines: ['FOR d IN @@collection', ...filterLines(target.filters, binds)], variable: 'd' }
  binds.keys = target.keys
  return { lines: ['FOR key IN @keys'], variable: 'key' }
}

const FIXED = new Set(['_key', '_id', '_rev'])

/** Returns what is wrong with edits; an empty text if nothing is. */
export function mistake(edits: Edit[]): string {
  const paths = edits.map((edit) => edit.attribute.split('.'))
  if (paths.some((path) => path.includes(''))) return 'Each attribute needs a name.'
  const fixed = paths.find(([first]) => FIXED.has(first ?? ''))
  if (fixed) return `${fixed[0]} cannot be changed.`
  const contains = (outer: string[], inner: string[]) => outer.every((part, index) => inner[index] === part)
  if (paths.some((path, at) => paths.some((other, index) => index !== at && contains(path, other)))) return 'An attribute is listed twice.'
  const hasNull = edits.some((edit) => !edit.isRemoved && valueOf(edit.value) === null)
  if (hasNull && edits.some((edit) => edit.isRemoved)) return 'A query cannot both set null and remove attributes. Run two queries.'
  return ''
}

/** Returns an object with the values at their paths; null stands for an attribute that goes. */
function changesOf(edits: Edit[]): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const { attribute, value, isRemoved } of edits) {
    const path = attribute.split('.')
    let object = all
    for (const part of path.slice(0, -1)) {
      if (!Object.hasOwn(object, part)) set(object, part, {})
      object = object[part] as Record<string, unknown>
    }
    set(object, path.at(-1) ?? '', isRemoved ? null : valueOf(value))
  }
  return all
}

/** Sets an attribute, whatever its name is: `__proto__` is one as any other. */
function set(object: Record<string, unknown>, name: string, value: unknown) {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
