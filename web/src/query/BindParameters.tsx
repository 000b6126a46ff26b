/** The bind parameters of a query, as a form or as JSON. */
import { useState } from 'preact/hooks'
import { Editor } from '../component/Editor'
import { Select } from '../component/Select'
import { Tabs } from '../component/Tabs'
import { database } from '../lib/address'
import { useLoaded } from '../lib/load'
import { collectionNames } from './completion'
import type { Query } from './Query'

const MODES = ['Form', 'JSON'] as const

export function BindParameters({ query }: { query: Query }) {
  const [mode, setMode] = useState<(typeof MODES)[number]>('Form')
  return (
    <section class="card query-binds" aria-label="Bind parameters">
      <header>
        <h2 class="label">Bind parameters</h2>
        <Tabs label="Form or JSON" names={MODES} chosen={mode} onChoose={setMode} />
      </header>
      {mode === 'JSON' ? (
        <Editor language="json" label="Bind parameters as JSON" text={query.bindText} onRun={() => query.run()} />
      ) : (
        <Form query={query} />
      )}
      {query.binds.value.error && (
        <p class="message is-error" role="alert">
          {query.binds.value.error}
        </p>
      )}
    </section>
  )
}

function Form({ query }: { query: Query }) {
  const { value: collections = [] } = useLoaded(collectionNames, [database.value])
  if (query.bindNames.value.length === 0) {
    return (
      <p class="hint muted">
        Write <code>@name</code> in the query for a value and <code>@@name</code> for a collection.
      </p>
    )
  }
  return (
    <div class="binds">
      {query.bindNames.value.map((name) => (
        <label class="field" key={name}>
          <span class="mono">@{name}</span>
          {name.startsWith('@') ? <Collection query={query} name={name} collections={collections} /> : <Value query={query} name={name} />}
        </label>
      ))}
    </div>
  )
}

function Collection({ query, name, collections }: { query: Query; name: string; collections: string[] }) {
  const value = String(query.binds.value.values[name] ?? '')
  return (
    <Select value={value} options={[value, ...collections.filter((one) => one !== value)]} onChange={(chosen) => query.bind(name, chosen)} />
  )
}

/** A field for a value: JSON, or a text that is no JSON as it is. */
function Value({ query, name }: { query: Query; name: string }) {
  const value = query.binds.value.values[name]
  const [typed, setTyped] = useState(value === undefined ? '' : asText(value))
  const onInput = (text: string) => {
    setTyped(text)
    query.bind(name, fromText(text))
  }
  return <input class="input" value={typed} placeholder='5, true, some text, [1, 2]' onInput={(event) => onInput(event.currentTarget.value)} />
}

/** Returns the text of a value; a string that would be read as something else has quotes. */
export function asText(value: unknown): string {
  if (typeof value === 'string' && fromText(value) === value) return value
  return JSON.stringify(value)
}

/** Returns the value of a text. */
export function fromText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
