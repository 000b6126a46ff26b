/** Dialogs that write vertices and edges through their graph, which checks the ends of edges. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Editor } from '../component/Editor'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { type Call, path } from '../lib/api'
import { attributes, indent } from '../lib/json'
import { send } from '../lib/session'
import type { Document } from './load'

type Kind = 'vertex' | 'edge'

interface Created {
  graph: string
  /** The collections to choose from. */
  collections: string[]
  onClose: () => void
  onDone: (created: Document) => void
}

/** Returns the new version of a document from a reply. */
const newOf = (reply: string) => (JSON.parse(reply) as { new: Document }).new

/** Returns true for the text of an object. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

export function CreateVertex({ graph, collections, onClose, onDone }: Created) {
  const [collection, setCollection] = useState(collections[0] ?? '')
  const text = useSignal('{\n  \n}')
  const call: Call | null = isObject(text.value) ? { method: 'POST', path: path`/_api/gharial/${graph}/vertex/${collection}` + '?returnNew=true', text: text.value } : null
  return (
    <ConfirmAction title="New vertex" verb="Create" call={call} onClose={onClose} onDone={(reply) => onDone(newOf(reply))}>
      <Collections names={collections} chosen={collection} onChoose={setCollection} />
      <Attributes text={text} label="Attributes of the vertex" />
    </ConfirmAction>
  )
}

export function CreateEdge({ graph, collections, from, vertices, onClose, onDone }: Created & { from: string; vertices: string[] }) {
  const [collection, setCollection] = useState(collections[0] ?? '')
  const [to, setTo] = useState('')
  const text = useSignal('{\n  \n}')
  // The text keeps the digits of its numbers.
  const rest = isObject(text.value) ? attributes(text.value.trim()).map(([name, value]) => `,${JSON.stringify(name)}:${value}`).join('') : ''
  const body = `{"_from":${JSON.stringify(from)},"_to":${JSON.stringify(to)}${rest}}`
  const call: Call | null = to.includes('/') && isObject(text.value) ? { method: 'POST', path: path`/_api/gharial/${graph}/edge/${collection}` + '?returnNew=true', text: body } : null
  return (
    <ConfirmAction title={`New edge from ${from}`} verb="Create" call={call} onClose={onClose} onDone={(reply) => onDone(newOf(reply))}>
      <Collections names={collections} chosen={collection} onChoose={setCollection} />
      <Field title="To" hint="The _id of a vertex.">
        <input class="input" required autofocus list="ends" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
        <datalist id="ends">
          {vertices.slice(0, 1000).map((id) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </Field>
      <Attributes text={text} label="Attributes of the edge" />
    </ConfirmAction>
  )
}

interface Existing {
  graph: string
  kind: Kind
  id: string
  onClose: () => void
}

function addressOf({ graph, kind, id }: Pick<Existing, 'graph' | 'kind' | 'id'>): string {
  const [collection = '', key = ''] = id.split('/')
  return path`/_api/gharial/${graph}/${kind}/${collection}/${key}`
}

export function Change({ graph, kind, id, onClose, onDone }: Existing & { onDone: (changed: Document) => void }) {
  const address = addressOf({ graph, kind, id })
  const text = useSignal('')
  const [revision, setRevision] = useState('')
  const [error, setError] = useState<unknown>()
  const [collection = '', key = ''] = id.split('/')
  useEffect(() => {
    send({ method: 'GET', path: path`/_api/document/${collection}/${key}` }, { quiet: true }).then((loaded) => {
      text.value = indent(loaded)
      setRevision((JSON.parse(loaded) as Document)._rev as string)
    }, setError)
  }, [id])
  const call: Call | null = isObject(text.value) ? { method: 'PUT', path: `${address}?returnNew=true`, text: text.value, headers: { 'if-match': `"${revision}"` } } : null
  return (
    <ConfirmAction title={`Change ${id}`} verb="Save" call={call} onClose={onClose} onDone={(reply) => onDone(newOf(reply))}>
      <ErrorMessage error={error} />
      <Attributes text={text} label={kind === 'edge' ? 'Attributes of the edge' : 'Attributes of the vertex'} />
    </ConfirmAction>
  )
}

export function Remove({ graph, kind, id, onClose, onDone }: Existing & { onDone: () => void }) {
  return (
    <ConfirmAction title={`Remove ${id}`} verb="Remove" isDangerous call={{ method: 'DELETE', path: addressOf({ graph, kind, id }) }} onClose={onClose} onDone={onDone}>
      <p>{kind === 'edge' ? 'The edge will be removed.' : 'The vertex and all its edges will be removed, including those that are not shown.'}</p>
    </ConfirmAction>
  )
}

function Collections({ names, chosen, onChoose }: { names: string[]; chosen: string; onChoose: (name: string) => void }) {
  return (
    <Field title="Collection">
      <Select value={chosen} options={names} onChange={onChoose} />
    </Field>
  )
}

function Attributes({ text, label }: { text: Signal<string>; label: string }) {
  return (
    <div class="card definition">
      <Editor language="json" label={label} text={text} />
    </div>
  )
}
