/** A dialog that writes a result into attributes of the documents. */
import { useState } from 'preact/hooks'
import { CopyCurl } from '../component/CopyCurl'
import { Dialog } from '../component/Dialog'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { type GraphDefinition, vertexCollections } from '../graph/definition'
import { number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import type { Estimate, Outcome } from './Analysis'
import { ALL } from './statements'
import { type Options, withOptions, writtenNames } from './values'

interface Properties {
  outcome: Outcome
  definition: GraphDefinition
  onClose: () => void
  /** Called with the bind parameters of the run that writes. */
  onWrite: (binds: string) => void
}

const callOf = (binds: string) => ({ method: 'POST', path: '/_api/cursor', text: `{"query":${JSON.stringify(ALL)},"bindVars":${binds}}` }) as const

export function WriteDialog({ outcome: { algorithm, binds }, definition, onClose, onWrite }: Properties) {
  const [attribute, setAttribute] = useState('')
  const [columns, setColumns] = useState(algorithm.columns)
  const { value: estimate, error } = useLoaded(async (signal) => (await ask<{ result: Estimate[] }>(callOf(withOptions(binds, { mode: 'estimate' })), { quiet: true, signal })).result[0], [binds])
  const options: Options = { mode: 'write', ...(attribute && { attribute }), ...(columns.length < algorithm.columns.length && { columns }) }
  const asked = withOptions(binds, options)
  const toggle = (column: string) => setColumns(algorithm.columns.filter((one) => (one === column ? !columns.includes(one) : columns.includes(one))))
  const act = (event: Event) => {
    event.preventDefault()
    onClose()
    onWrite(asked)
  }
  return (
    <Dialog title={`Write the result of ${algorithm.name}`} onClose={onClose}>
      <form class="dialog-body" onSubmit={act}>
        <Field title="Attribute" hint="Several columns get the names ATTRIBUTE_COLUMN. Without a name, columns keep their own.">
          <input class="input" autofocus placeholder={algorithm.columns.join(', ')} value={attribute} onInput={(event) => setAttribute(event.currentTarget.value.trim())} />
        </Field>
        {algorithm.columns.length > 1 &&
          algorithm.columns.map((column) => (
            <label class="check" key={column}>
              <input type="checkbox" checked={columns.includes(column)} onChange={() => toggle(column)} />
              {column}
            </label>
          ))}
        <ErrorMessage error={error} />
        {estimate && columns.length > 0 && (
          <p class="message is-warning">
            The algorithm runs again and changes {number(estimate.vertices)} documents in {vertexCollections(definition).join(', ')}. They get {writtenNames(columns, attribute).join(', ')} in place of what they have there.
          </p>
        )}
        <footer class="dialog-foot">
          <CopyCurl call={callOf(asked)} />
          <span class="spring" />
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-danger" disabled={!estimate || columns.length === 0}>
            Write
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
