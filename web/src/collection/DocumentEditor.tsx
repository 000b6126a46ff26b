/** One document as JSON. A concurrent change by another user is shown, not overwritten. */
import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { CopyCurl } from '../component/CopyCurl'
import { DraftNote } from '../component/DraftNote'
import { Editor } from '../component/Editor'
import { JsonText } from '../component/JsonText'
import { ErrorMessage } from '../component/Message'
import { go, link } from '../lib/address'
import { type Call, Failure, path } from '../lib/api'
import { draftOf, forgetDraft, useDraft } from '../lib/drafts'
import { attributes, indent } from '../lib/json'
import { useReturn } from '../lib/load'
import { send } from '../lib/session'

interface Properties {
  collection: string
  /** The key; absent for a new document. */
  documentKey?: string
  isWritable: boolean
}

/** The text of a new document. */
const EMPTY = '{\n  \n}'

const revisionOf = (text: string) => JSON.parse(new Map(attributes(text)).get('_rev') ?? '""') as string

export function DocumentEditor({ collection, documentKey, isWritable }: Properties) {
  const place = link(documentKey === undefined ? ['collection', collection, 'new'] : ['collection', collection, 'documents', documentKey])
  const isNew = documentKey === undefined
  const text = useSignal(isNew ? (draftOf(place)?.text ?? EMPTY) : '')
  const [saved, setSaved] = useState(isNew ? EMPTY : undefined)
  const [revision, setRevision] = useState('')
  const [theirs, setTheirs] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [failed, setFailed] = useState<unknown>()
  const [note, setNote] = useState('')
  const [isRemoving, setRemoving] = useState(false)
  const address = path`/_api/document/${collection}/${documentKey ?? ''}`
  useDraft(text, isWritable ? saved : undefined, { address: place, title: documentKey === undefined ? `New in ${collection}` : `${collection}/${documentKey}`, base: revision })

  const load = async () => {
    const loaded = await send({ method: 'GET', path: address })
    return { loaded: indent(loaded), revision: revisionOf(loaded) }
  }
  /** Shows the stored version; a draft stays if it is wanted. */
  const reload = (withDraft: boolean) =>
    load().then(({ loaded, revision }) => {
      const draft = withDraft ? draftOf(place) : undefined
      text.value = draft?.text ?? loaded
      setSaved(loaded)
      setRevision(draft?.base ?? revision)
      setTheirs(undefined)
      setError(undefined)
      setFailed(undefined)
    }, setFailed)
  useEffect(() => {
    if (!isNew) void reload(true)
  }, [collection, documentKey])
  useReturn(failed, () => void reload(true))
  const discard = () => {
    if (isNew) text.value = EMPTY
    else void reload(false)
  }

  const call = () => saving(collection, documentKey, text.value, revision)
  const save = async () => {
    setError(undefined)
    setNote('')
    try {
      const reply = JSON.parse(await send(call())) as { _key: string; _rev: string }
      forgetDraft(place)
      if (isNew) return go(['collection', collection, 'documents', reply._key])
      await reload(false)
      setNote('Saved.')
    } catch (thrown) {
      if (!(thrown instanceof Failure && thrown.status === 412)) return setError(thrown)
      // The next attempt overwrites the version that is shown.
      const other = await load()
      setTheirs(other.loaded)
      setRevision(other.revision)
    }
  }
  const isChanged = isWritable && saved !== undefined && text.value !== saved
  return (
    <>
      <div class="page-head">
        <h2 class="mono">{isNew ? 'New document' : `${collection}/${documentKey}`}</h2>
        {isChanged ? (
          <DraftNote onDiscard={discard} />
        ) : (
          <span role="status" class="muted">
            {note}
          </span>
        )}
        <span class="spring" />
        <CopyCurl call={isWritable ? call() : { method: 'GET', path: address }} />
        {!isNew && isWritable && (
          <button type="button" class="button" onClick={() => setRemoving(true)}>
            Remove
          </button>
        )}
        {isWritable && (
          <button type="button" class="button is-main" onClick={save}>
            {isNew ? 'Create' : 'Save'}
          </button>
        )}
      </div>
      <ErrorMessage error={error ?? failed} />
      {theirs !== undefined && (
        <p class="message is-warning" role="alert">
          Somebody changed the document meanwhile. Their version is at the side. Save again to replace it with yours, or{' '}
          <button type="button" class="button" onClick={() => reload(false)}>
            take theirs
          </button>
        </p>
      )}
      <div class="versions">
        <div class="card fill">
          <Editor language="json" label="Document" text={text} isReadOnly={!isWritable} onRun={isWritable ? save : undefined} />
        </div>
        {theirs !== undefined && (
          <section class="card fill" aria-label="Version saved by another user">
            <JsonText label="Their version" text={theirs} />
          </section>
        )}
      </div>
      {isRemoving && (
        <ConfirmAction title="Remove the document" verb="Remove" isDangerous call={{ method: 'DELETE', path: address, headers: { 'if-match': `"${revision}"` } }} onClose={() => setRemoving(false)} onDone={() => removed(collection, place)}>
          <p>
            The document <b class="mono">{documentKey}</b> will be removed.
          </p>
        </ConfirmAction>
      )}
    </>
  )
}

function removed(collection: string, place: string) {
  forgetDraft(place)
  go(['collection', collection, 'documents'])
}

/** Returns the request that stores the text: under a condition on the revision that was read. */
function saving(collection: string, key: string | undefined, text: string, revision: string): Call {
  if (key === undefined) return { method: 'POST', path: path`/_api/document/${collection}`, text }
  return { method: 'PUT', path: path`/_api/document/${collection}/${key}`, text, headers: { 'if-match': `"${revision}"` } }
}
