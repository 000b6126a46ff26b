/** Names to choose from in forms. */
import { ask } from './session'

/** Returns the names of all Analyzers. */
export async function analyzerNames(signal: AbortSignal): Promise<string[]> {
  const { result } = await ask<{ result: { name: string }[] }>({ method: 'GET', path: '/_api/analyzer' }, { quiet: true, signal })
  return result.map((one) => one.name)
}

/** Returns the attributes of some documents of a collection. */
export async function attributeNames(collection: string, signal: AbortSignal): Promise<string[]> {
  const query = 'RETURN UNIQUE(FLATTEN((FOR d IN @@collection LIMIT 50 RETURN ATTRIBUTES(d, true))))'
  const body = { query, bindVars: { '@collection': collection } }
  return (await ask<{ result: string[][] }>({ method: 'POST', path: '/_api/cursor', body }, { quiet: true, signal })).result[0] ?? []
}
