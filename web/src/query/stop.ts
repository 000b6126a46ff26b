/** Ends queries on the server. */
import { ask, user } from '../lib/session'

interface Running {
  id: string
  query: string
  user: string
  bindVars?: Record<string, unknown>
}

/**
 * Kills the user's running queries that have a text and, if the server knows their bind parameters,
 * some of these. The server ends a query when its connection closes, but a proxy between may keep
 * the connection.
 */
export async function kill(query: string, binds: Record<string, unknown> = {}) {
  const isMeant = (one: Running) => one.query === query && (user.value === null || one.user === user.value) && Object.entries(binds).every(([name, value]) => one.bindVars?.[name] === undefined || JSON.stringify(one.bindVars[name]) === JSON.stringify(value))
  const list = await ask<Running[]>({ method: 'GET', path: '/_api/query/current' }, { quiet: true })
  for (const one of list.filter(isMeant)) await ask({ method: 'DELETE', path: `/_api/query/${one.id}` }).catch(() => {})
}
