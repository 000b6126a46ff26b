/** The documentation of the server's API, with a form for each of its operations. */
import { useMemo, useState } from 'preact/hooks'
import { OperationList } from '../api/OperationList'
import { type Description, idOf, operationsOf, search } from '../api/operations'
import { OperationView } from '../api/OperationView'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { link } from '../lib/address'
import { number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import '../style/api.css'

const load = async (signal: AbortSignal) => operationsOf(await ask<Description>({ method: 'GET', path: '/_api/openapi.json', database: '_system' }, { quiet: true, signal }))

export function Api({ chosen }: { chosen: string }) {
  const { value = [], error } = useLoaded(load, [])
  const [text, setText] = useState('')
  const found = useMemo(() => search(value, text), [value, text])
  const operation = value.find((one) => idOf(one) === chosen)
  return (
    <div class="page">
      <PageHead title="API">
        <input class="input" type="search" aria-label="Search" placeholder="Search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span class="muted" role="status">
          {value.length > 0 && `${number(found.length)} of ${number(value.length)} operations`}
        </span>
      </PageHead>
      <ErrorMessage error={error} />
      <div class="api">
        <OperationList operations={found} chosen={operation} linkOf={(id) => link(['api', id])} />
        {operation ? <OperationView key={chosen} operation={operation} /> : <p class="muted">Select an operation to inspect it and try it out.</p>}
      </div>
    </div>
  )
}
