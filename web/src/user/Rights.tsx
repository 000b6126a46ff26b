/** The rights of a user: a level for each database, and within one for each collection. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { type Call, path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask, send } from '../lib/session'
import { Collections } from './Collections'
import { ALL, type Database, type Granted, type Level, ofDatabase, WORDS } from './source'

interface Loaded {
  grants: Record<string, Database>
  /** The effective levels on databases; those without access are absent. */
  effective: Record<string, Level>
}

async function load(user: string, signal: AbortSignal): Promise<Loaded> {
  const get = <T,>(query: string) => ask<{ result: T }>({ method: 'GET', path: path`/_api/user/${user}/database` + query, database: '_system' }, { signal, quiet: query === '' })
  const [grants, effective] = await Promise.all([get<Loaded['grants']>('?full=true'), get<Loaded['effective']>('')])
  return { grants: grants.result, effective: effective.result }
}

export function Rights({ user, mayChange }: { user: string; mayChange: boolean }) {
  const { value, error, reload } = useLoaded((signal) => load(user, signal), [user])
  const [failure, setFailure] = useState<unknown>()
  const set = (address: string, level: Granted) => {
    const change: Call = level === 'undefined' ? { method: 'DELETE', path: address } : { method: 'PUT', path: address, body: { grant: level } }
    send({ ...change, database: '_system' }).then(() => {
      setFailure(undefined)
      reload()
    }, setFailure)
  }
  const grants = value?.grants ?? {}
  const names = Object.keys(grants).filter((name) => name !== ALL).sort()
  return (
    <>
      <ErrorMessage error={error ?? failure} />
      <div class="card card-body">
        <h2>Rights</h2>
        <p class="muted">“All others” holds for databases and collections without a level of their own. The effective right and its source stand at the end. A user who may write <code>_system</code> administers the server.</p>
        {mayChange && <Right title="All others" level={grants[ALL]?.permission ?? 'undefined'} unset="not set" onSet={(level) => set(path`/_api/user/${user}/database/${ALL}`, level)} />}
        {value &&
          names.map((name) => {
            const effective = value.effective[name] ?? 'none'
            return (
              <section key={name}>
                <Right
                  title={name}
                  level={grants[name]?.permission ?? 'undefined'}
                  unset="as all others"
                  effective={ofDatabase(grants, name, effective)}
                  onSet={mayChange ? (level) => set(path`/_api/user/${user}/database/${name}`, level) : undefined}
                />
                <Collections
                  user={user}
                  database={name}
                  grants={grants}
                  ofDatabase={effective}
                  onSet={mayChange ? (collection, level) => set(path`/_api/user/${user}/database/${name}/${collection}`, level) : undefined}
                />
              </section>
            )
          })}
      </div>
    </>
  )
}

const LEVELS = Object.entries(WORDS) as [Granted, string][]

interface RightProperties {
  title: string
  level: Granted
  /** The word for a level that is not granted. */
  unset: string
  /** The effective level with its source. */
  effective?: string
  /** Absent for a reader. */
  onSet?: (level: Granted) => void
}

/** A row with the level that is granted, and the one that holds. */
export function Right({ title, level, unset, effective, onSet }: RightProperties) {
  return (
    <div class="right">
      <span class="who">{title}</span>
      {onSet && <Select label={title} value={level} options={[...LEVELS, ['undefined', unset]]} onChange={onSet} />}
      <span class="muted effective">{effective}</span>
    </div>
  )
}
