/** Functions that completion uses to read texts. */

/** Returns a function's arguments for readers; the server's notation has a bar before optional ones. */
export function argumentsText(notation: string): string {
  const [required = '', optional = ''] = notation.split('|')
  const names = (part: string, mark: string) =>
    part.split(',').filter(Boolean).map((one) => (one.endsWith('+') ? '...' : (one === 'h' ? 'collection' : 'value') + mark))
  return `(${[...names(required, ''), ...names(optional, '?')].join(', ')})`
}

/** Returns the names of variables in a query and the collections that they run over. */
export function variables(query: string): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  for (const [, name, collection] of query.matchAll(/\bFOR\s+(\w+)(?:\s*,\s*\w+)*\s+IN\s+([A-Za-z_][\w-]*)?/gi)) {
    if (name) found.set(name, collection)
  }
  for (const [, name] of query.matchAll(/\bLET\s+(\w+)\s*=/gi)) if (name) found.set(name, undefined)
  return found
}
