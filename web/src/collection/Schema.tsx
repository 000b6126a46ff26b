/** The schema that documents of a collection must meet. */
import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { DraftNote } from '../component/DraftNote'
import { Editor } from '../component/Editor'
import { ErrorMessage } from '../component/Message'
import { database, link } from '../lib/address'
import { path } from '../lib/api'
import { draftOf, forgetDraft, useDraft } from '../lib/drafts'
import { attributes, indent } from '../lib/json'
import { useLoaded } from '../lib/load'
import { send } from '../lib/session'

const EXAMPLE = {
  rule: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  level: 'moderate',
  message: 'A document needs a name.',
}

async function load(collection: string, signal: AbortSignal): Promise<string> {
  const reply = await send({ method: 'GET', path: path`/_api/collection/${collection}/properties` }, { signal })
  return new Map(attributes(reply)).get('schema') ?? 'null'
}

export function Schema({ collection, mayChange }: { collection: string; mayChange: boolean }) {
  const { value, error, reload } = useLoaded((signal) => load(collection, signal), [collection, database.value])
  const text = useSignal('')
  const place = link(['collection', collection, 'schema'])
  const [saved, setSaved] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  useEffect(() => {
    if (value === undefined) return
    const loaded = value === 'null' ? '' : indent(value)
    text.value = draftOf(place)?.text ?? loaded
    setSaved(loaded)
  }, [value])
  useDraft(text, mayChange ? saved : undefined, { address: place, title: `Schema of ${collection}`, base: '' })
  const onSaved = () => {
    forgetDraft(place)
    reload()
  }
  return (
    <>
      <div class="page-head">
        <p class="muted"><code>rule</code> is a JSON Schema, <code>level</code> (none, new, moderate, strict) says when it is checked, and <code>message</code> is the error. Without a text, every document is accepted.</p>
        <span class="spring" />
        {mayChange && saved !== undefined && text.value !== saved && <DraftNote onDiscard={() => (text.value = saved)} />}
        {mayChange && (
          <>
            <button type="button" class="button" onClick={() => (text.value = JSON.stringify(EXAMPLE, null, 2))}>
              Example
            </button>
            <button type="button" class="button is-main" onClick={() => setSaving(true)}>
              Save
            </button>
          </>
        )}
      </div>
      <ErrorMessage error={error} />
      <div class="card fill">
        <Editor language="json" label="Schema" text={text} isReadOnly={!mayChange} />
      </div>
      {isSaving && (
        <ConfirmAction title="Save the schema" verb="Save" call={{ method: 'PUT', path: path`/_api/collection/${collection}/properties`, text: `{"schema":${text.value.trim() || 'null'}}` }} onClose={() => setSaving(false)} onDone={onSaved}>
          <p>Documents are validated against the schema when they are written. Existing documents are not checked.</p>
        </ConfirmAction>
      )}
    </>
  )
}
