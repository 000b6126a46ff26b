/** The rights of a user: a level for each database, and within one for each collection. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { type Call, path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask, send } from '../lib/session'

type Granted = 'rw' | 'ro' | 'none' | 'undefined'
type Database = { permission: Granted; collections?: Record<string, Granted> }

const LEVELS: [Granted, string][] = [
  ['rw', 'may write'],
  ['ro', 'may read'],
  ['none', 'no access'],
]

/** The name that stands for all that are not named. */
const ALL = '*'

const load = async (user: string, signal: AbortSignal) => {
  const call: Call = { method: 'GET', path: path`/_api/user/${user}/database?full=true`, database: '_system' }
  return (await ask<{ result: Record<string, Database> }>(call, { signal })).result
}

export function Rights({ user }: { user: string }) {
  const { value = {}, error, reload } = useLoaded((signal) => load(user, signal), [user])
  const [failure, setFailure] = useState<unknown>()
  const set = (address: string, level: Granted) => {
    const change: Call = level === 'undefined' ? { method: 'DELETE', path: address } : { method: 'PUT', path: address, body: { grant: level } }
    send({ ...change, database: '_system' }).then(() => {
      setFailure(undefined)
      reload()
    }, setFailure)
  }
  const names = [ALL, ...Object.keys(value).filter((name) => name !== ALL).sort()]
  return (
    <>
      <ErrorMessage error={error ?? failure} />
      <div class="card card-body">
        <h2>Rights</h2>
        <p class="muted">“All others” holds for databases and collections without a level of their own. A user who may write <code>_system</code> administers the server.</p>
        {names.map((name) => (
          <section key={name}>
            <Row title={name === ALL ? 'All others' : name} level={value[name]?.permission ?? 'undefined'} isAll={name === ALL} onSet={(level) => set(path`/_api/user/${user}/database/${name}`, level)} />
            {name !== ALL && <Collections database={name} collections={value[name]?.collections ?? {}} onSet={(collection, level) => set(path`/_api/user/${user}/database/${name}/${collection}`, level)} />}
          </section>
        ))}
      </div>
    </>
  )
}

interface CollectionsProperties {
  database: string
  collections: Record<string, Granted>
  onSet: (collection: string, level: Granted) => void
}

function Collections({ database, collections, onSet }: CollectionsProperties) {
  const names = [ALL, ...Object.keys(collections).filter((name) => name !== ALL).sort()]
  return (
    <details class="rights">
      <summary>Collections of {database}</summary>
      {names.map((name) => (
        <Row key={name} title={name === ALL ? 'All others' : name} level={collections[name] ?? 'undefined'} isAll={false} onSet={(level) => onSet(name, level)} />
      ))}
    </details>
  )
}

function Row({ title, level, isAll, onSet }: { title: string; level: Granted; isAll: boolean; onSet: (level: Granted) => void }) {
  return (
    <label class="right">
      <span class="who">{title}</span>
      <Select label={title} value={level} options={[...LEVELS, ['undefined', isAll ? 'not set' : 'as all others']]} onChange={onSet} />
    </label>
  )
}
