/** A dialog that creates a view of either kind. */
import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import type { Call } from '../lib/api'
import { DefinitionEditor } from './DefinitionEditor'
import { EXAMPLES, type Kind, mistake } from './definition'

const KINDS = Object.keys(EXAMPLES) as Kind[]

const example = (kind: Kind) => JSON.stringify(EXAMPLES[kind], null, 2)

export function CreateView({ onClose, onDone }: { onClose: () => void; onDone: (name: string) => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('arangosearch')
  const text = useSignal(example('arangosearch'))
  const choose = (kind: Kind) => {
    setKind(kind)
    text.value = example(kind)
  }
  const wrong = mistake(text.value, kind, true)
  const head = JSON.stringify({ name, type: kind }).slice(0, -1)
  const rest = text.value.trim().replace(/^\{\s*/, '')
  const call: Call | null = name === '' || wrong ? null : { method: 'POST', path: '/_api/view', text: `${head}${rest === '}' ? '' : ','}${rest}` }
  return (
    <ConfirmAction title="New view" verb="Create" call={call} onClose={onClose} onDone={() => onDone(name)}>
      <Field title="Name">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field title="Type" hint={kind === 'arangosearch' ? 'Links define which attributes of which collections are searched.' : 'A list of inverted indexes of collections.'}>
        <Select value={kind} options={KINDS} onChange={choose} />
      </Field>
      <div class="card new-view">
        <DefinitionEditor key={kind} kind={kind} text={text} />
      </div>
      {wrong && <small role="status">{wrong}</small>}
    </ConfirmAction>
  )
}
