/** A server that follows another one: what it tells, and what the form sends. */

export type Phase = 'none' | 'copying' | 'following' | 'paused' | 'cutting-over' | 'ended' | 'failed'

/** A thing that does not come over as it is. */
export interface Problem {
  what: string
  where: string
  effect: string
}

/** The server whose data are taken over. */
export interface Source {
  endpoint: string
  product?: string
  version?: string
  engine?: string
  role?: string
  readOnly?: boolean
}

/** One collection in the comparison before a cut-over. */
export interface Compared {
  database: string
  collection: string
  equal: boolean
  source: number
  here: number
}

/** The reply of `GET /_api/follow`. */
export interface State {
  phase: Phase
  kind?: 'migration' | 'follower'
  source?: Source | null
  copy?: { databasesDone: number; databases: number; collectionsDone: number; collections: number; documents: number; bytes: number; seconds: number } | null
  log?: { applied: string; last: string; lagEntries: number; lagSeconds: number | null; entries: number; transactions: number } | null
  error?: { errorNum: number; errorMessage: string } | null
  problems?: Problem[]
  comparison?: Compared[] | null
}

/** The reply of a probe. */
export interface Probed {
  source: Source
  databases: { name: string; collections: number; documents: number }[]
  canFollow: boolean
  /** The reason for which the server cannot be followed. */
  obstacle?: { errorNum: number; errorMessage: string } | null
  problems: Problem[]
}

/** The fields of the form, as they are typed. */
export interface Fields {
  endpoint: string
  username: string
  password: string
  databases: string
  caFile: string
  kind: 'migration' | 'follower'
}

export const EMPTY: Fields = { endpoint: '', username: 'root', password: '', databases: '', caFile: '', kind: 'migration' }

/** Returns the members of a body that name the source. */
export function sourceOf({ endpoint, username, password, databases, caFile }: Fields): Record<string, unknown> {
  const names = databases.split(',').map((name) => name.trim()).filter(Boolean)
  return {
    endpoint: endpoint.trim(),
    username,
    password,
    ...(names.length > 0 && { databases: names }),
    ...(caFile.trim() !== '' && { tls: { caFile: caFile.trim(), verify: true } }),
  }
}

/** The operations that a phase allows, in the order of their buttons. */
export function operationsOf({ phase, kind }: State): readonly Operation[] {
  const isMigration = kind !== 'follower'
  const ends: Operation[] = isMigration ? ['cut-over', 'abort'] : ['promote']
  switch (phase) {
    case 'copying':
      return ['pause', ...(isMigration ? (['abort'] as const) : [])]
    case 'following':
      return ['pause', ...ends]
    case 'paused':
    case 'failed':
      return ['resume', ...(isMigration ? (['abort'] as const) : ends)]
    default:
      return []
  }
}

export type Operation = 'pause' | 'resume' | 'cut-over' | 'abort' | 'promote'

/** Returns the differences that a comparison has found. */
export const differencesOf = ({ comparison }: State): Compared[] => (comparison ?? []).filter((one) => !one.equal)
