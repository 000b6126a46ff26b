/** The rights of a user on the collections of a database. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { path } from '../lib/api'
import { number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { Right } from './Rights'
import { ALL, type Database, type Granted, type Level, ofCollection } from './source'

interface Properties {
  user: string
  database: string
  grants: Record<string, Database>
  /** The effective level on the database. */
  ofDatabase: Level
  /** Absent for a reader. */
  onSet?: (collection: string, level: Granted) => void
}

/** Collections whose effective level is asked for: each is a request. */
const MAX_ASKED = 200

async function load(user: string, database: string, names: string[], signal: AbortSignal): Promise<Map<string, Level>> {
  const one = async (name: string) => {
    const call = { method: 'GET', path: path`/_api/user/${user}/database/${database}/${name}`, database: '_system' } as const
    return [name, (await ask<{ result: Level }>(call, { signal, quiet: true })).result] as const
  }
  return new Map(await Promise.all(names.map(one)))
}

export function Collections(properties: Properties) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="rights" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Collections of {properties.database}</summary>
      {isOpen && <List {...properties} />}
    </details>
  )
}

function List({ user, database, grants, ofDatabase, onSet }: Properties) {
  const collections = grants[database]?.collections ?? {}
  const names = Object.keys(collections).filter((name) => name !== ALL).sort((left, right) => Number(left.startsWith('_')) - Number(right.startsWith('_')) || (left < right ? -1 : 1))
  const asked = names.slice(0, MAX_ASKED)
  const { value, error } = useLoaded((signal) => load(user, database, asked, signal), [user, database, JSON.stringify(grants)])
  return (
    <>
      <ErrorMessage error={error} />
      {onSet && <Right title="All others" level={collections[ALL] ?? 'undefined'} unset="not set" onSet={(level) => onSet(ALL, level)} />}
      {names.map((name) => {
        const effective = value?.get(name)
        return (
          <Right
            key={name}
            title={name}
            level={collections[name] ?? 'undefined'}
            unset="as all others"
            effective={effective && ofCollection(grants, database, name, effective, ofDatabase)}
            onSet={onSet && ((level) => onSet(name, level))}
          />
        )
      })}
      {names.length > MAX_ASKED && <p class="muted">Effective rights are shown for the first {number(MAX_ASKED)} collections.</p>}
    </>
  )
}
