/** A dialog that creates an index of any type that the server has. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Editor } from '../component/Editor'
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import type { Call } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { useSignal } from '@preact/signals'
import { analyzerNames, attributeNames } from '../lib/names'
import { CHOICES, definition, type IndexForm, isComplete, NUMBERS, TYPES } from './indexForm'

interface Properties {
  collection: string
  onClose: () => void
  onDone: () => void
}

/** Returns the types of the server. Those without a form are written as JSON. */
async function types(): Promise<string[]> {
  type Engine = { supports: { indexes: string[]; aliases: { indexes: Record<string, string> } } }
  const { supports } = await ask<Engine>({ method: 'GET', path: '/_api/engine' }, { quiet: true })
  const isOwn = (type: string) => !['primary', 'edge'].includes(type) && !(type in supports.aliases.indexes)
  // ArangoDB's list lacks some types that it has.
  return [...new Set([...supports.indexes.filter(isOwn), ...Object.keys(TYPES)])]
}

const EMPTY: IndexForm = { type: 'persistent', name: '', fields: '', flags: {}, texts: { metric: 'cosine' } }

interface ValueProperties {
  id: string
  value: string
  analyzers: string[]
  isRequired?: boolean
  onChange: (value: string) => void
}

/** A property of an index: a choice, a number or a text. */
function Value({ id, value, analyzers, isRequired, onChange }: ValueProperties) {
  const choices = id === 'analyzer' ? [['', 'identity (default)'] as const, ...analyzers.filter((name) => name !== 'identity')] : CHOICES[id]
  if (choices) return <Select value={value} options={choices} onChange={onChange} />
  const onInput = (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value)
  if (NUMBERS.has(id)) return <input class="input" type="number" min={id === 'expireAfter' ? 0 : 1} step={1} required={isRequired} value={value} onInput={onInput} />
  return <input class="input" required={isRequired} value={value} onInput={onInput} />
}

export function CreateIndex({ collection, onClose, onDone }: Properties) {
  const { value: supported = ['persistent'] } = useLoaded(types, [])
  const { value: analyzers = [] } = useLoaded(analyzerNames, [])
  const { value: attributes = [] } = useLoaded((signal) => attributeNames(collection, signal), [collection])
  const [form, setForm] = useState(EMPTY)
  const text = useSignal('')
  const choose = (type: string) => {
    setForm({ ...form, type })
    text.value = JSON.stringify({ type, fields: [] }, null, 2)
  }
  const known = TYPES[form.type]
  const path = `/_api/index?${new URLSearchParams({ collection })}`
  const call: Call | null = known ? (isComplete(form) ? { method: 'POST', path, body: definition(form) } : null) : { method: 'POST', path, text: text.value }
  return (
    <ConfirmAction title="New index" verb="Create" call={call} onClose={onClose} onDone={onDone}>
      <Field title="Type">
        <Select value={form.type} options={supported} onChange={choose} />
      </Field>
      {known ? (
        <>
          <Field title="Fields" hint={known.hint}>
            <input class="input" required={known.all === undefined || !form.flags[known.all]} autofocus list="index-fields" placeholder="name, address.city, tags[*]" value={form.fields} onInput={(event) => setForm({ ...form, fields: event.currentTarget.value })} />
          </Field>
          <datalist id="index-fields">
            {attributes.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {known.texts.map(([id, title]) => (
            <Field key={id} title={title}>
              <Value id={id} value={form.texts[id] ?? ''} analyzers={analyzers} isRequired={known.required?.includes(id)} onChange={(value) => setForm({ ...form, texts: { ...form.texts, [id]: value } })} />
            </Field>
          ))}
          <Field title="Name" hint="Leave empty to generate one.">
            <input class="input" value={form.name} onInput={(event) => setForm({ ...form, name: event.currentTarget.value })} />
          </Field>
          {known.flags.map(([id, title]) => (
            <label class="check" key={id}>
              <input type="checkbox" checked={form.flags[id] ?? false} onChange={(event) => setForm({ ...form, flags: { ...form.flags, [id]: event.currentTarget.checked } })} />
              {title}
            </label>
          ))}
        </>
      ) : (
        <div class="card definition">
          <Editor language="json" label="Definition of the index" text={text} />
        </div>
      )}
    </ConfirmAction>
  )
}
