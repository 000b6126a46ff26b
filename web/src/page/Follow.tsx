/** Follow: another server whose databases this one copies, and whose log it follows. */
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { Actions } from '../follow/Actions'
import { Facts } from '../follow/Facts'
import { StartForm } from '../follow/StartForm'
import type { State } from '../follow/state'
import { useEvery, useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import '../style/follow.css'

const load = (signal: AbortSignal) => ask<State>({ method: 'GET', path: '/_api/follow', database: '_system' }, { quiet: true, signal })

export function Follow() {
  const { value, error, reload } = useLoaded(load, [])
  useEvery(1000, reload)
  return (
    <div class="page">
      <PageHead title="Follow">
        <span class="spring" />
        {value && <Actions state={value} onDone={reload} />}
      </PageHead>
      <ErrorMessage error={error} />
      {value && (value.phase === 'none' ? <StartForm onStarted={reload} /> : <Facts state={value} />)}
    </div>
  )
}
