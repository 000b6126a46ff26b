/** The user's rights on collections. */
import { database } from './address'
import { path } from './api'
import { ask, type Level, user } from './session'

/** Returns true if the user may write the collection's documents. */
export async function mayWrite(name: string, signal: AbortSignal): Promise<boolean> {
  if (user.value === null) return true
  const call = { method: 'GET', path: path`/_api/user/${user.value}/database/${database.value}/${name}`, database: '_system' } as const
  return (await ask<{ result: Level }>(call, { quiet: true, signal })).result === 'rw'
}

/** Returns those of the collections whose documents the user may write. */
export async function writable(names: string[], signal: AbortSignal): Promise<Set<string>> {
  const rights = await Promise.all(names.map((name) => mayWrite(name, signal)))
  return new Set(names.filter((_, index) => rights[index]))
}
