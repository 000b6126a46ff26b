/** What can be done with a service as a whole. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Menu } from '../component/Menu'
import { go } from '../lib/address'
import { type Call, Failure, messageOf } from '../lib/api'
import { open, send } from '../lib/session'
import { saveFile } from '../query/download'
import { Check, InstallDialog } from './InstallDialog'
import { type Details, type Installation, pathOf } from './state'

export function Actions({ service, onChanged }: { service: Details; onChanged: () => void }) {
  const { mount, development } = service
  const [asked, setAsked] = useState<Installation | 'remove'>()
  const [error, setError] = useState('')
  const close = () => setAsked(undefined)
  const act = (work: Promise<unknown>) => {
    setError('')
    return work.catch((thrown) => setError(messageOf(thrown)))
  }
  const develop = (begins: boolean) => act(send({ method: begins ? 'POST' : 'DELETE', path: pathOf('development', mount) }).then(onChanged))
  return (
    <div class="side-row">
      <span class="message is-error" role="alert" hidden={error === ''}>
        {error}
      </span>
      <Check title="Development" value={development} onChange={develop} />
      <button type="button" class="button" onClick={() => act(download(mount))}>
        Download
      </button>
      <Menu title="Change" actions={{ Upgrade: () => setAsked('upgrade'), Replace: () => setAsked('replace'), Remove: () => setAsked('remove') }} />
      {asked === 'remove' && <Remove mount={mount} onClose={close} />}
      {(asked === 'upgrade' || asked === 'replace') && <InstallDialog kind={asked} mount={mount} onClose={close} onDone={onChanged} />}
    </div>
  )
}

/** Fetches the archive of a service, and hands it to the browser. */
async function download(mount: string) {
  const call: Call = { method: 'POST', path: pathOf('download', mount) }
  const reply = await open(call)
  if (!reply.ok) throw Failure.of(reply.status, await reply.text())
  saveFile(await reply.blob(), `${mount.replace(/^\//, '').replaceAll('/', '_')}.zip`)
}

function Remove({ mount, onClose }: { mount: string; onClose: () => void }) {
  const [teardown, setTeardown] = useState(true)
  const call: Call = { method: 'DELETE', path: pathOf('service', mount, { teardown: String(teardown) }) }
  return (
    <ConfirmAction title={`Remove ${mount}`} verb="Remove the service" isDangerous call={call} onClose={onClose} onDone={() => go(['services'])}>
      <p>The service and its settings will be removed.</p>
      <Check title="Run the teardown script, which usually drops the collections of the service" value={teardown} onChange={setTeardown} />
    </ConfirmAction>
  )
}
