/** Where the rights of a user come from: an own grant, or one that covers more. */

/** A level that is granted; `undefined` where none is. */
export type Granted = 'rw' | 'ro' | 'none' | 'undefined'
export type Level = Exclude<Granted, 'undefined'>

/** The grants on a database and its collections. */
export interface Database {
  permission: Granted
  collections?: Record<string, Granted>
}

/** The name that stands for all that are not named. */
export const ALL = '*'

export const WORDS: Record<Level, string> = { rw: 'may write', ro: 'may read', none: 'no access' }

type Grants = Record<string, Database>

/** Returns the effective level on a database with its source, such as `may read, from all others`. */
export function ofDatabase(grants: Grants, database: string, effective: Level): string {
  const level = (name: string) => grants[name]?.permission ?? 'undefined'
  return told(effective, level(database), [
    ['from “All others”', level(ALL)],
    ['from _system', level('_system')],
  ])
}

/** Returns the effective level on a collection with its source. */
export function ofCollection(grants: Grants, database: string, collection: string, effective: Level, ofDatabase: Level): string {
  if (ofDatabase === 'none') return `${WORDS.none}, as to the database`
  if (collection.startsWith('_')) return `${WORDS[effective]}, as a system collection`
  const own = grants[database]?.collections
  return told(effective, own?.[collection] ?? 'undefined', [
    [`from “All others” of ${database}`, own?.[ALL] ?? 'undefined'],
    [`from the database ${database}`, ofDatabase],
    ['from “All others”', grants[ALL]?.permission ?? 'undefined'],
    ['from _system', grants._system?.permission ?? 'undefined'],
  ])
}

/** The highest of the grants that cover an object holds, unless it has a grant of its own. */
function told(effective: Level, own: Granted, covering: [string, Granted][]): string {
  if (own === effective) return WORDS[effective]
  const source = covering.find(([, level]) => level === effective)?.[0]
  return source ? `${WORDS[effective]}, ${source}` : WORDS[effective]
}
