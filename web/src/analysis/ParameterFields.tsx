/** A field for each parameter of an algorithm. */
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import type { Parameter } from './algorithm'

interface Properties {
  parameters: Parameter[]
  typed: Record<string, string>
  /** The vertices and the attributes to choose from. */
  vertices: string[]
  attributes: string[]
  /** The `_id` of the selected vertex. */
  selected: string | undefined
  onChange: (name: string, text: string) => void
}

export function ParameterFields({ parameters, vertices, attributes, ...rest }: Properties) {
  return (
    <>
      {parameters.map((one) => (
        <ParameterField key={one.name} parameter={one} {...rest} />
      ))}
      <Suggestions id="drawn-vertices" names={vertices} />
      <Suggestions id="vertex-attributes" names={attributes} />
    </>
  )
}

function Suggestions({ id, names }: { id: string; names: string[] }) {
  return (
    <datalist id={id}>
      {names.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  )
}

function ParameterField({ parameter, typed, selected, onChange }: { parameter: Parameter } & Pick<Properties, 'typed' | 'selected' | 'onChange'>) {
  const { name, about, type, values } = parameter
  const text = typed[name] ?? ''
  const change = (next: string) => onChange(name, next)
  const standard = String(parameter.default ?? '')
  const hint = `${about} ${values.charAt(0).toUpperCase()}${values.slice(1)}.`
  if (type === 'bool') {
    return (
      <label class="check" title={about}>
        <input type="checkbox" checked={(text || standard) === 'true'} onChange={(event) => change(String(event.currentTarget.checked))} />
        {name}
      </label>
    )
  }
  if (type === 'choice') {
    return (
      <Field title={name} hint={about}>
        <Select value={text || standard} options={parameter.words ?? []} onChange={change} />
      </Field>
    )
  }
  if (type === 'number' || type === 'integer') {
    return (
      <Field title={name} hint={hint}>
        <input class="input" inputMode="decimal" placeholder={standard} value={text} onInput={(event) => change(event.currentTarget.value)} />
      </Field>
    )
  }
  if (type === 'attribute') {
    return (
      <Field title={name} hint={about}>
        <input class="input" list="vertex-attributes" placeholder="none" value={text} onInput={(event) => change(event.currentTarget.value)} />
      </Field>
    )
  }
  const isList = type === 'vertices'
  const add = (id: string) => change(isList && text.trim() ? `${text.trim()}\n${id}` : id)
  return (
    <>
      <Field title={name} hint={isList ? `${about} One _id a line.` : hint}>
        {isList ? (
          <textarea class="input" rows={3} placeholder="none" value={text} onInput={(event) => change(event.currentTarget.value)} />
        ) : (
          <input class="input" list="drawn-vertices" placeholder="persons/ann" value={text} onInput={(event) => change(event.currentTarget.value)} />
        )}
      </Field>
      {selected && (
        <button type="button" class="button take-vertex" aria-label={`${name}: take ${selected}`} onClick={() => add(selected)}>
          {isList ? 'Add' : 'Take'} {selected}
        </button>
      )}
    </>
  )
}
