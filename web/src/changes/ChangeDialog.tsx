/** A dialog with one change: the document, its previous version, and everything. */
import { useState } from 'preact/hooks'
import { CopyText } from '../component/CopyText'
import { Dialog } from '../component/Dialog'
import { JsonText } from '../component/JsonText'
import { Tabs } from '../component/Tabs'
import { link } from '../lib/address'
import { attributes, indent } from '../lib/json'
import type { Change } from './feed'

const VIEWS = ['Document', 'Before', 'Whole change'] as const

export function ChangeDialog({ change, onClose }: { change: Change; onClose: () => void }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Document')
  const parts = new Map(attributes(change.text))
  const text = view === 'Whole change' ? change.text : view === 'Before' ? parts.get('before') : (parts.get('document') ?? parts.get('definition'))
  const { operation = '', collection, key, time = '' } = change
  const id = [collection, key].filter(Boolean).join('/')
  return (
    <Dialog title={`${operation} ${id}`} isWide onClose={onClose}>
      <div class="dialog-body">
        <p class="muted">
          {time.replace('T', ' ')}, transaction {change.transaction}
        </p>
        <Tabs label="Versions" names={VIEWS} chosen={view} onChoose={setView} />
        {text === undefined ? <p class="empty">{view === 'Before' ? 'The change log has no previous version: either there was none, or the server does not keep them (--changes.old-documents).' : 'This change has no document.'}</p> : <JsonText label={view} text={indent(text)} />}
        <footer class="dialog-foot">
          {collection !== undefined && key !== undefined && operation !== 'remove' && (
            <a class="button" href={link(['collection', collection, 'documents', key])}>
              Open the document
            </a>
          )}
          <span class="spring" />
          <CopyText text={text ?? change.text} />
        </footer>
      </div>
    </Dialog>
  )
}
