/** Definitions of views as forms show them: links of collections with their fields and Analyzers. */

/** A link of a view, or a field of one. What a form does not show stays in the JSON as it is. */
export interface Link {
  analyzers?: string[]
  includeAllFields?: boolean
  fields?: Record<string, Link>
  [attribute: string]: unknown
}

export interface Alias {
  collection: string
  index: string
}

/** Returns an attribute of a definition, or `undefined` if the text is no such definition. */
function read<Value>(text: string, attribute: string, empty: Value): Value | undefined {
  try {
    const value = JSON.parse(text) as Record<string, Value | undefined>
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return value[attribute] ?? empty
  } catch {
    return undefined
  }
}

/** Returns the text with another value of an attribute. */
function written(text: string, attribute: string, value: unknown): string {
  return JSON.stringify({ ...(JSON.parse(text) as object), [attribute]: value }, null, 2)
}

export function linksOf(text: string): Record<string, Link | null> | undefined {
  const links = read<Record<string, Link | null>>(text, 'links', {})
  return typeof links === 'object' && !Array.isArray(links) ? links : undefined
}

export const withLinks = (text: string, links: Record<string, Link | null>) => written(text, 'links', links)

export function aliasesOf(text: string): Alias[] | undefined {
  const indexes = read<Alias[]>(text, 'indexes', [])
  return Array.isArray(indexes) ? indexes : undefined
}

export const withAliases = (text: string, indexes: Alias[]) => written(text, 'indexes', indexes)

/** Returns a link with other Analyzers; none is the default, `identity`. */
export function withAnalyzers(link: Link, analyzers: string[]): Link {
  const { analyzers: _, ...others } = link
  return analyzers.length === 0 ? others : { ...others, analyzers }
}

/** Returns an object without an attribute. */
export function without<Value>(object: Record<string, Value>, name: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(object).filter(([one]) => one !== name))
}
