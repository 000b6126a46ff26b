/** Fields for the colours and sizes that a result gives. */
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import { type Analysis, numeric } from './Analysis'
import { KINDS, kindOf } from './colours'
import type { Look } from './paint'

export function LookFields({ analysis }: { analysis: Analysis }) {
  const outcome = analysis.outcome.value
  if (!outcome?.algorithm.byVertex) return null
  const look = analysis.look.value
  const numbers = numeric(outcome)
  const set = (change: Partial<Look>) => (analysis.look.value = { ...look, ...change })
  const colourBy = (column: string) => {
    outcome.groups.clear()
    set({ column, kind: kindOf(column, [...outcome.values.values()].map((row) => row[column])) })
  }
  const kinds = numbers.includes(look.column) ? KINDS : KINDS.slice(2)
  return (
    <section class="form" aria-label="Colours of the result">
      <Field title="Colours">
        <Select value={look.column} options={[...outcome.algorithm.columns, ['', 'as before'] as const]} onChange={colourBy} />
      </Field>
      {look.column && (
        <Field title="Kind of colours">
          <Select value={look.kind} options={kinds} onChange={(kind) => set({ kind })} />
        </Field>
      )}
      <Field title="Sizes">
        <Select value={look.size} options={[...numbers, ['', 'as before'] as const]} onChange={(size) => set({ size })} />
      </Field>
    </section>
  )
}
