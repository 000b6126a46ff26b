/** What can be done with a server that follows: a button for each operation, which asks first. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import type { Call } from '../lib/api'
import { type Operation, operationsOf, type State } from './state'

const TITLES: Record<Operation, string> = { pause: 'Pause', resume: 'Resume', 'cut-over': 'Cut over', abort: 'Abort', promote: 'Promote' }

const EFFECTS: Record<Operation, string> = {
  pause: 'This server stops following until it is resumed. The source keeps its log for a while only.',
  resume: 'This server goes on where it stopped.',
  'cut-over': 'The source becomes read-only. This server applies the rest of its log, compares the collections, and accepts writes then. If they differ, the source becomes writable again.',
  abort: 'The source gets its mode back. Everything that was copied to this server is removed.',
  promote: 'This server follows no longer, and accepts writes. Changes of the leader that it does not have yet are lost here.',
}

const COMPARISONS = [
  ['revisions', 'keys and revisions of all documents'],
  ['counts', 'numbers of documents'],
  ['none', 'nothing'],
] as const

export function Actions({ state, onDone }: { state: State; onDone: () => void }) {
  const [asked, setAsked] = useState<Operation>()
  const [compare, setCompare] = useState<(typeof COMPARISONS)[number][0]>('revisions')
  const call = (operation: Operation): Call => ({
    method: 'POST',
    path: `/_api/follow/${operation}`,
    database: '_system',
    body: operation === 'cut-over' ? { compare, force: false } : {},
  })
  return (
    <>
      {operationsOf(state).map((operation) => (
        <button key={operation} type="button" class={operation === 'abort' ? 'button is-danger' : 'button'} onClick={() => setAsked(operation)}>
          {TITLES[operation]}
        </button>
      ))}
      {asked && (
        <ConfirmAction title={TITLES[asked]} verb={TITLES[asked]} isDangerous={asked === 'abort'} call={call(asked)} onClose={() => setAsked(undefined)} onDone={onDone}>
          <p>{EFFECTS[asked]}</p>
          {asked === 'cut-over' && (
            <Field title="Compare">
              <Select value={compare} options={COMPARISONS} onChange={setCompare} />
            </Field>
          )}
        </ConfirmAction>
      )}
    </>
  )
}
