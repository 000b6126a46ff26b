/** One document as JSON. A concurrent change by another user is shown, not overwritten. */
import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { CopyCurl } from '../component/CopyCurl'
import { Editor } from '../component/Editor'
import { ErrorMessage } from '../component/Message'
import { go, link } from '../lib/address'
import { type Call, Failure, path } from '../lib/api'
import { indent } from '../lib/json'
import { send } from '../lib/session'

interface Properties {
  collection: string
  /** The key; absent for a new document. */
  documentKey?: string
  isWritable: boolean
}

const revisionOf = (text: string) => (JSON.parse(text) as { _rev?: string })._rev ?? ''

export function DocumentEditor({ collection, documentKey, isWritable }: Properties) {
  const text = useSignal(documentKey === undefined ? '{\n  \n}' : '')
  const [revision, setRevision] = useState('')
  const [theirs, setTheirs] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [note, setNote] = useState('')
  const [isRemoving, setRemoving] = useState(false)
  const address = path`/_api/document/${collection}/${documentKey ?? ''}`

  const load = async () => {
    const loaded = await send({ method: 'GET', path: address })
    return { loaded: indent(loaded), revision: revisionOf(loaded) }
  }
  const reload = () =>
    load().then(({ loaded, revision }) => {
      text.value = loaded
      setRevision(revision)
      setTheirs(undefined)
      setError(undefined)
    }, setError)
  useEffect(() => {
    if (documentKey !== undefined) void reload()
  }, [collection, documentKey])

  const call = saving(collection, documentKey, text.value, revision)
  const save = async () => {
    setError(undefined)
    setNote('')
    try {
      const reply = JSON.parse(await send(call)) as { _key: string; _rev: string }
      if (documentKey === undefined) return go(['collection', collection, 'documents', reply._key])
      await reload()
      setNote('Saved.')
    } catch (thrown) {
      if (!(thrown instanceof Failure && thrown.status === 412)) return setError(thrown)
      // The next attempt overwrites the version that is shown.
      const other = await load()
      setTheirs(other.loaded)
      setRevision(other.revision)
    }
  }
  return (
    <>
      <div class="page-head">
        <h2 class="mono">{documentKey === undefined ? 'New document' : `${collection}/${documentKey}`}</h2>
        <span role="status" class="muted">
          {note}
        </span>
        <span class="spring" />
        <CopyCurl call={isWritable ? call : { method: 'GET', path: address }} />
        {documentKey !== undefined && isWritable && (
          <button type="button" class="button" onClick={() => setRemoving(true)}>
            Remove
          </button>
        )}
        {isWritable && (
          <button type="button" class="button is-main" onClick={save}>
            {documentKey === undefined ? 'Create' : 'Save'}
          </button>
        )}
      </div>
      <ErrorMessage error={error} />
      {theirs !== undefined && (
        <p class="message is-warning" role="alert">
          Somebody changed the document meanwhile. Their version is at the side. Save again to replace it with yours, or{' '}
          <button type="button" class="button" onClick={reload}>
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
            <pre class="card-body row-json">{theirs}</pre>
          </section>
        )}
      </div>
      {isRemoving && (
        <ConfirmAction title="Remove the document" verb="Remove" isDangerous call={{ method: 'DELETE', path: address, headers: { 'if-match': `"${revision}"` } }} onClose={() => setRemoving(false)} onDone={() => (location.hash = link(['collection', collection, 'documents']))}>
          <p>
            The document <b class="mono">{documentKey}</b> will be removed.
          </p>
        </ConfirmAction>
      )}
    </>
  )
}

/** Returns the request that stores the text: under a condition on the revision that was read. */
function saving(collection: string, key: string | undefined, text: string, revision: string): Call {
  if (key === undefined) return { method: 'POST', path: path`/_api/document/${collection}`, text }
  return { method: 'PUT', path: path`/_api/document/${collection}/${key}`, text, headers: { 'if-match': `"${revision}"` } }
}
