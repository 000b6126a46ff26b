/** One view: its properties, and an editor of those that can be changed. */
import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { DraftNote } from '../component/DraftNote'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { database, go, link } from '../lib/address'
import { path } from '../lib/api'
import { draftOf, forgetDraft, useDraft } from '../lib/drafts'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'
import { DefinitionEditor } from '../view/DefinitionEditor'
import { changeable, type Definition, fixed, mistake } from '../view/definition'

const get = (name: string, signal: AbortSignal) => ask<Definition>({ method: 'GET', path: path`/_api/view/${name}/properties` }, { signal })

/** A name in AQL. */
const quoted = (name: string) => `\`${name.replaceAll('`', '\\`')}\``

export function View({ name }: { name: string }) {
  const { value, error, reload } = useLoaded((signal) => get(name, signal), [name, database.value])
  const [action, setAction] = useState<'save' | 'rename' | 'drop'>()
  const text = useSignal('')
  const place = link(['view', name])
  const [saved, setSaved] = useState<string>()
  useEffect(() => {
    if (!value) return
    text.value = draftOf(place)?.text ?? changeable(value)
    setSaved(changeable(value))
  }, [value])
  useDraft(text, mayChangeDatabase.value ? saved : undefined, { address: place, title: `View ${name}`, base: '' })
  const isChanged = mayChangeDatabase.value && saved !== undefined && text.value !== saved
  const wrong = value && mistake(text.value, value.type, false)
  const onSaved = () => {
    forgetDraft(place)
    reload()
  }
  const properties = path`/_api/view/${name}/properties`
  return (
    <div class="page">
      <PageHead title={name} above={['views', 'Views']}>
        {isChanged && <DraftNote onDiscard={() => (text.value = saved)} />}
        <span class="spring" />
        <a class="button" href={link(['queries'], { query: `FOR d IN ${quoted(name)}\n  LIMIT 100\n  RETURN d` })}>
          Open as query
        </a>
        {mayChangeDatabase.value && value && (
          <>
            <button type="button" class="button" onClick={() => setAction('rename')}>
              Rename
            </button>
            <button type="button" class="button" onClick={() => setAction('drop')}>
              Drop
            </button>
            <button type="button" class="button is-main" disabled={!!wrong} onClick={() => setAction('save')}>
              Save
            </button>
          </>
        )}
      </PageHead>
      <ErrorMessage error={error} />
      {value && (
        <>
          <div class="card card-body">
            <dl class="facts">
              {[['Type', value.type], ['Number', value.id], ...fixed(value)].map(([title, text]) => [<dt key={title}>{title}</dt>, <dd key={`${title} value`}>{text}</dd>])}
            </dl>
          </div>
          {wrong && (
            <p class="message is-error" role="alert">
              {wrong}
            </p>
          )}
          <div class="card fill">
            <DefinitionEditor kind={value.type} text={text} isReadOnly={!mayChangeDatabase.value} />
          </div>
        </>
      )}
      {action === 'save' && (
        <ConfirmAction title={`Save ${name}`} verb="Save" call={{ method: 'PUT', path: properties, text: text.value }} onClose={() => setAction(undefined)} onDone={onSaved}>
          <p>These properties replace the current ones. Changed links are rebuilt, which briefly blocks writes to their collections.</p>
        </ConfirmAction>
      )}
      {action === 'rename' && <Rename name={name} onClose={() => setAction(undefined)} />}
      {action === 'drop' && (
        <ConfirmAction title={`Drop ${name}`} verb="Drop the view" isDangerous call={{ method: 'DELETE', path: path`/_api/view/${name}` }} onClose={() => setAction(undefined)} onDone={() => go(['views'])}>
          <p>The view and its links will be removed. Documents and inverted indexes remain.</p>
        </ConfirmAction>
      )}
    </div>
  )
}

function Rename({ name, onClose }: { name: string; onClose: () => void }) {
  const [renamed, setRenamed] = useState(name)
  const call = renamed === '' || renamed === name ? null : ({ method: 'PUT', path: path`/_api/view/${name}/rename`, body: { name: renamed } } as const)
  return (
    <ConfirmAction title={`Rename ${name}`} verb="Rename" call={call} onClose={onClose} onDone={() => go(['view', renamed])}>
      <Field title="New name">
        <input class="input" required autofocus value={renamed} onInput={(event) => setRenamed(event.currentTarget.value)} />
      </Field>
    </ConfirmAction>
  )
}
