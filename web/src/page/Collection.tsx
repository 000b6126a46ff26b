/** One collection: its documents, indexes, properties and schema. */
import { useState } from 'preact/hooks'
import { DocumentEditor } from '../collection/DocumentEditor'
import { Documents } from '../collection/Documents'
import { Indexes } from '../collection/Indexes'
import { Properties } from '../collection/Properties'
import { Schema } from '../collection/Schema'
import { Boundary } from '../component/Boundary'
import { ConfirmAction } from '../component/ConfirmAction'
import { PageHead } from '../component/PageHead'
import { database, go, link } from '../lib/address'
import { path } from '../lib/api'
import { useLoaded } from '../lib/load'
import { mayWrite } from '../lib/rights'
import { mayChangeDatabase } from '../lib/session'

const VIEWS = [
  ['documents', 'Documents'],
  ['indexes', 'Indexes'],
  ['properties', 'Properties'],
  ['schema', 'Schema'],
] as const

interface Shown {
  name: string
  view: string
  /** The key of a document. */
  part?: string
}

export function Collection({ name, view, part }: Shown) {
  const { value: isWritable = false } = useLoaded((signal) => mayWrite(name, signal), [name, database.value])
  const [action, setAction] = useState<'drop' | 'truncate'>()
  const [turn, setTurn] = useState(0)
  return (
    <div class="page">
      <PageHead title={name} above={['collections', 'Collections']}>
        <span class="spring" />
        {isWritable && (
          <button type="button" class="button" onClick={() => setAction('truncate')}>
            Truncate
          </button>
        )}
        {mayChangeDatabase.value && isWritable && (
          <button type="button" class="button" onClick={() => setAction('drop')}>
            Drop
          </button>
        )}
      </PageHead>
      <nav class="tabs" aria-label="Parts of the collection">
        {VIEWS.map(([id, title]) => (
          <a key={id} class="tab" href={link(['collection', name, id])} aria-current={view === id || (view === '' && id === 'documents') ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <Boundary of={`${view} ${part} ${turn}`} title="This part">
        <View key={turn} name={name} view={view} part={part} isWritable={isWritable} />
      </Boundary>
      {action === 'truncate' && (
        <ConfirmAction title={`Truncate ${name}`} verb="Remove all documents" isDangerous call={{ method: 'PUT', path: path`/_api/collection/${name}/truncate` }} onClose={() => setAction(undefined)} onDone={() => setTurn(turn + 1)}>
          <p>All documents of the collection will be removed. Its definition and indexes remain.</p>
        </ConfirmAction>
      )}
      {action === 'drop' && (
        <ConfirmAction title={`Drop ${name}`} verb="Drop the collection" isDangerous call={{ method: 'DELETE', path: path`/_api/collection/${name}` }} onClose={() => setAction(undefined)} onDone={() => go(['collections'])}>
          <p>The collection, its documents and its indexes will be removed.</p>
        </ConfirmAction>
      )}
    </div>
  )
}

function View({ name, view, part, isWritable }: Shown & { isWritable: boolean }) {
  switch (view) {
    case 'indexes':
      return <Indexes collection={name} mayChange={mayChangeDatabase.value && isWritable} />
    case 'properties':
      return <Properties collection={name} mayChange={mayChangeDatabase.value && isWritable} />
    case 'schema':
      return <Schema collection={name} mayChange={mayChangeDatabase.value && isWritable} />
    case 'new':
      return <DocumentEditor key="new" collection={name} isWritable={isWritable} />
    default:
      if (part !== undefined) return <DocumentEditor key={part} collection={name} documentKey={part} isWritable={isWritable} />
      return <Documents collection={name} isWritable={isWritable} />
  }
}
