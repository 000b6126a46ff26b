/** What a collection is and holds, and the properties that can be changed. */
import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Editor } from '../component/Editor'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { database, go } from '../lib/address'
import { path } from '../lib/api'
import { bytes, number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'

interface Figures {
  id: string
  name: string
  type: number
  count: number
  waitForSync: boolean
  cacheEnabled: boolean
  keyOptions: { type: string; allowUserKeys: boolean }
  computedValues: unknown
  accessRules?: unknown
  figures: { documentsSize: number; indexes: { count: number; size: number } }
}

const get = (collection: string, signal: AbortSignal) => ask<Figures>({ method: 'GET', path: path`/_api/collection/${collection}/figures` }, { signal })

export function Properties({ collection, mayChange }: { collection: string; mayChange: boolean }) {
  const { value, error, reload } = useLoaded((signal) => get(collection, signal), [collection, database.value])
  const [action, setAction] = useState<'change' | 'rename'>()
  if (!value) return <ErrorMessage error={error} />
  const rows: [string, string][] = [
    ['Type', value.type === 3 ? 'edges' : 'documents'],
    ['Documents', number(value.count)],
    ['Size of documents', bytes(value.figures.documentsSize)],
    ['Indexes', `${number(value.figures.indexes.count)}, ${bytes(value.figures.indexes.size)}`],
    ['Number', value.id],
    ['Keys', `${value.keyOptions.type}${value.keyOptions.allowUserKeys ? ', or given by the writer' : ''}`],
    ['Wait for the disk', value.waitForSync ? 'yes' : 'no'],
    ['Cache recent documents in memory', value.cacheEnabled ? 'yes' : 'no'],
    ['Computed values', value.computedValues ? JSON.stringify(value.computedValues) : 'none'],
    ...(value.accessRules ? [['Rules for documents', JSON.stringify(value.accessRules)] as [string, string]] : []),
  ]
  return (
    <div class="card card-body">
      <ErrorMessage error={error} />
      <dl class="facts">
        {rows.map(([title, text]) => [<dt key={title}>{title}</dt>, <dd key={`${title} value`}>{text}</dd>])}
      </dl>
      {mayChange && (
        <div class="side-row">
          <button type="button" class="button" onClick={() => setAction('change')}>
            Change
          </button>
          <button type="button" class="button" onClick={() => setAction('rename')}>
            Rename
          </button>
        </div>
      )}
      {action === 'change' && <Change collection={collection} figures={value} onClose={() => setAction(undefined)} onDone={reload} />}
      {action === 'rename' && <Rename collection={collection} onClose={() => setAction(undefined)} />}
    </div>
  )
}

function Change({ collection, figures, onClose, onDone }: { collection: string; figures: Figures; onClose: () => void; onDone: () => void }) {
  const [waitForSync, setWaitForSync] = useState(figures.waitForSync)
  const [cacheEnabled, setCacheEnabled] = useState(figures.cacheEnabled)
  const computed = useSignal(JSON.stringify(figures.computedValues ?? [], null, 2))
  const text = `{"waitForSync":${waitForSync},"cacheEnabled":${cacheEnabled},"computedValues":${computed.value}}`
  return (
    <ConfirmAction title={`Change ${collection}`} verb="Save" call={{ method: 'PUT', path: path`/_api/collection/${collection}/properties`, text }} onClose={onClose} onDone={onDone}>
      <label class="check">
        <input type="checkbox" checked={waitForSync} onChange={() => setWaitForSync(!waitForSync)} />
        Wait until writes are on disk
      </label>
      <label class="check">
        <input type="checkbox" checked={cacheEnabled} onChange={() => setCacheEnabled(!cacheEnabled)} />
        Cache recent documents in memory
      </label>
      <div class="field">
        <span>Computed values</span>
        <div class="card definition">
          <Editor language="json" label="Computed values" text={computed} />
        </div>
      </div>
    </ConfirmAction>
  )
}

function Rename({ collection, onClose }: { collection: string; onClose: () => void }) {
  const [name, setName] = useState(collection)
  const call = name === '' || name === collection ? null : ({ method: 'PUT', path: path`/_api/collection/${collection}/rename`, body: { name } } as const)
  return (
    <ConfirmAction title={`Rename ${collection}`} verb="Rename" call={call} onClose={onClose} onDone={() => go(['collection', name, 'properties'])}>
      <Field title="New name">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
    </ConfirmAction>
  )
}
