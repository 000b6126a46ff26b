/** A dialog that creates an analyzer. */
import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { DefinitionField } from '../component/DefinitionField'
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import type { Call } from '../lib/api'
import { EXAMPLES } from './examples'

const FEATURES = ['frequency', 'norm', 'position', 'offset']

export function CreateAnalyzer({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState('')
  const [type, setType] = useState('text')
  const [features, setFeatures] = useState(['frequency', 'norm', 'position'])
  const properties = useSignal(example('text'))
  const choose = (type: string) => {
    setType(type)
    properties.value = example(type)
  }
  const toggle = (feature: string) => setFeatures(FEATURES.filter((one) => features.includes(one) !== (one === feature)))
  const rest = JSON.stringify({ name, type, features }).slice(0, -1)
  const call: Call | null = name === '' ? null : { method: 'POST', path: '/_api/analyzer', text: `${rest},"properties":${properties.value}}` }
  return (
    <ConfirmAction title="New analyzer" verb="Create" call={call} onClose={onClose} onDone={onDone}>
      <Field title="Name">
        <input class="input" required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field title="Type">
        <Select value={type} options={Object.keys(EXAMPLES)} onChange={choose} />
      </Field>
      <DefinitionField title="Properties" text={properties} />
      <div class="chips">
        {FEATURES.map((feature) => (
          <label class="check" key={feature}>
            <input type="checkbox" checked={features.includes(feature)} onChange={() => toggle(feature)} />
            {feature}
          </label>
        ))}
      </div>
    </ConfirmAction>
  )
}

const example = (type: string) => JSON.stringify(EXAMPLES[type] ?? {}, null, 2)
