/** The fields that select entries of the log. */
import { Select } from '../component/Select'

/** A selection of entries. */
export interface Filter {
  /** The least important level. */
  level: string
  text: string
}

/** The selection that a page begins with. */
export const FIRST: Filter = { level: 'info', text: '' }

const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug', 'trace'].map((one) => [one, `up to ${one}`] as const)

export function FilterFields({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  return (
    <>
      <Select label="Level" value={filter.level} options={LEVELS} onChange={(level) => onChange({ ...filter, level })} />
      <input class="input" type="search" aria-label="Text" placeholder="Text" value={filter.text} onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })} />
    </>
  )
}
