/** Actions on the chosen documents of a collection, each with its query. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import type { Call } from '../lib/api'
import { number } from '../lib/format'
import { change, type Edit, mistake, removal, type Statement, type Target } from './bulk'
import type { Filter } from './filter'

interface Properties {
  collection: string
  /** The keys of the chosen documents. */
  keys: string[]
  /** The filters, by which all documents that they find can be chosen. */
  filters: Filter[]
  onClear: () => void
  /** Called after a change with the number of documents that were written. */
  onDone: (written: number) => void
}

const EMPTY: Edit = { attribute: '', value: '', isRemoved: false }

export function Bulk({ collection, keys, filters, onClear, onDone }: Properties) {
  const [isAll, setAll] = useState(false)
  const [action, setAction] = useState<'change' | 'remove'>()
  const target: Target = isAll ? { filters } : { keys }
  const what = isAll ? 'all documents that the filters find' : `${number(keys.length)} ${keys.length === 1 ? 'document' : 'documents'}`
  const properties = { collection, target, what, onClose: () => setAction(undefined), onDone }
  return (
    <section class="card bulk" aria-label="Selected documents">
      <span role="status">{isAll ? 'All documents that match the filters are selected.' : `${number(keys.length)} chosen`}</span>
      <button type="button" class="button" onClick={() => setAction('change')}>
        Change attributes
      </button>
      <button type="button" class="button" onClick={() => setAction('remove')}>
        Remove
      </button>
      <span class="spring" />
      {!isAll && (
        <button type="button" class="button is-quiet" onClick={() => setAll(true)}>
          Select all matches
        </button>
      )}
      <button type="button" class="button is-quiet" onClick={onClear}>
        Clear selection
      </button>
      {action === 'change' && <Change {...properties} />}
      {action === 'remove' && <Remove {...properties} />}
    </section>
  )
}

interface ActionProperties {
  collection: string
  target: Target
  what: string
  onClose: () => void
  onDone: (written: number) => void
}

const callOf = ({ query, binds }: Statement): Call => ({ method: 'POST', path: '/_api/cursor', body: { query, bindVars: binds } })

/** Returns the number of written documents from the reply to a query. */
function written(reply: string): number {
  return (JSON.parse(reply) as { extra?: { stats?: { writesExecuted?: number } } }).extra?.stats?.writesExecuted ?? 0
}

function Remove({ collection, target, what, onClose, onDone }: ActionProperties) {
  const statement = removal(collection, target)
  return (
    <ConfirmAction title="Remove documents" verb="Remove" isDangerous call={callOf(statement)} onClose={onClose} onDone={(reply) => onDone(written(reply))}>
      <p>
        {what.charAt(0).toUpperCase() + what.slice(1)} of <b class="mono">{collection}</b> will be removed, or none if that fails.
      </p>
      <StatementText statement={statement} />
    </ConfirmAction>
  )
}

function Change({ collection, target, what, onClose, onDone }: ActionProperties) {
  const [edits, setEdits] = useState([EMPTY])
  const set = (index: number, one: Partial<Edit>) => setEdits(edits.map((edit, at) => (at === index ? { ...edit, ...one } : edit)))
  const wrong = mistake(edits)
  const statement = wrong ? undefined : change(collection, target, edits)
  return (
    <ConfirmAction title={`Change ${what}`} verb="Change" call={statement ? callOf(statement) : null} onClose={onClose} onDone={(reply) => onDone(written(reply))}>
      {edits.map((edit, index) => (
        <fieldset class="bulk-edit" key={index} aria-label={`Attribute ${index + 1}`}>
          <input class="input" aria-label="Attribute" placeholder="address.city" autofocus={index === 0} value={edit.attribute} onInput={(event) => set(index, { attribute: event.currentTarget.value })} />
          <input class="input" aria-label="Value" placeholder='5, true, some text, [1, 2]' disabled={edit.isRemoved} value={edit.value} onInput={(event) => set(index, { value: event.currentTarget.value })} />
          <label class="check">
            <input type="checkbox" checked={edit.isRemoved} onChange={() => set(index, { isRemoved: !edit.isRemoved })} />
            Remove attribute
          </label>
        </fieldset>
      ))}
      <button type="button" class="button" onClick={() => setEdits([...edits, EMPTY])}>
        Add attribute
      </button>
      {wrong && edits.some((edit) => edit.attribute !== '') && <small role="status">{wrong}</small>}
      {statement && <StatementText statement={statement} />}
    </ConfirmAction>
  )
}

/** Characters of bind parameters that are shown: keys may be many. */
const MAX_CHARACTERS = 600

function StatementText({ statement: { query, binds } }: { statement: Statement }) {
  const text = JSON.stringify(binds, null, 1)
  return (
    <pre class="card query-text" tabIndex={0} aria-label="Query">
      {query}
      {'\n'}
      <span class="muted">{text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)} …` : text}</span>
    </pre>
  )
}
