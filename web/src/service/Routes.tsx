/** The routes of a service, each with a form that sends it. */
import { OperationList } from '../api/OperationList'
import { idOf } from '../api/operations'
import { OperationView } from '../api/OperationView'
import { ErrorMessage } from '../component/Message'
import { link } from '../lib/address'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { operationsOf, pathOf, type Swagger } from './state'
import '../style/api.css'

export function Routes({ mount, chosen }: { mount: string; chosen?: string }) {
  const load = async (signal: AbortSignal) => operationsOf(await ask<Swagger>({ method: 'GET', path: pathOf('swagger', mount) }, { quiet: true, signal }), mount)
  const { value, error } = useLoaded(load, [mount])
  const operation = value?.find((one) => idOf(one) === chosen)
  if (value?.length === 0) return <p class="muted">The service describes no routes.</p>
  return (
    <>
      <ErrorMessage error={error} />
      <div class="api">
        <OperationList operations={value ?? []} chosen={operation} linkOf={(id) => link(['service', mount, 'routes', id])} />
        {operation ? <OperationView key={chosen} operation={operation} /> : <p class="muted">Select a route to try it.</p>}
      </div>
    </>
  )
}
