/** Filters of documents, and the query that they are. */

export const OPERATORS = ['==', '!=', '<', '<=', '>', '>=', 'IN', 'LIKE', '=~'] as const

export interface Filter {
  /** A path such as `address.city`. */
  attribute: string
  operator: (typeof OPERATORS)[number]
  /** JSON, or text without quotes. */
  value: string
}

export interface Sort {
  attribute: string
  isDescending: boolean
}

/** Returns a path as AQL: each part is quoted, so that no name becomes another piece of the query. */
export function pathText(path: string): string {
  return path
    .split('.')
    .map((part) => `.\`${part.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``)
    .join('')
}

/** Returns the value of a text: JSON, or the text itself. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the lines of filters on the variable `d`, and adds their values to the bind parameters. */
export function filterLines(filters: Filter[], binds: Record<string, unknown>): string[] {
  return filters
    .filter((filter) => filter.attribute !== '')
    .map((filter, index) => {
      binds[`value${index}`] = valueOf(filter.value)
      return `  FILTER d${pathText(filter.attribute)} ${filter.operator} @value${index}`
    })
}

/** Returns the query of filters and its bind parameters. */
export function queryOf(collection: string, filters: Filter[], sort?: Sort): { query: string; binds: Record<string, unknown> } {
  const binds: Record<string, unknown> = { '@collection': collection }
  const lines = ['FOR d IN @@collection', ...filterLines(filters, binds)]
  if (sort && sort.attribute !== '') lines.push(`  SORT d${pathText(sort.attribute)}${sort.isDescending ? ' DESC' : ''}`)
  lines.push('  RETURN d')
  return { query: lines.join('\n'), binds }
}
