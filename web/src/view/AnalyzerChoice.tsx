/** The Analyzers of a link or a field, of which there may be several. */
import { Select } from '../component/Select'

interface Properties {
  chosen: string[]
  /** The names of all Analyzers. */
  names: string[]
  /** What they are for, for screen readers. */
  label: string
  onChange: (chosen: string[]) => void
}

export function AnalyzerChoice({ chosen, names, label, onChange }: Properties) {
  return (
    <span class="analyzers">
      {chosen.map((name) => (
        <span class="chip" key={name}>
          {name}{' '}
          <button type="button" class="chip-button" aria-label={`Remove ${name} of ${label}`} onClick={() => onChange(chosen.filter((one) => one !== name))}>
            ✕
          </button>
        </span>
      ))}
      <Select label={`Add an Analyzer to ${label}`} value="" options={[['', chosen.length === 0 ? 'Analyzer: as above' : 'add'], ...names.filter((name) => !chosen.includes(name))]} onChange={(name) => name && onChange([...chosen, name])} />
    </span>
  )
}
