/** The contents of a problem report: version, machine and statistics of the engine. */
import { copy } from '../component/CopyCurl'
import { Dialog } from '../component/Dialog'
import { ErrorMessage } from '../component/Message'
import { indent } from '../lib/json'
import { useLoaded } from '../lib/load'
import { send } from '../lib/session'

const load = (signal: AbortSignal) => send({ method: 'GET', path: '/_admin/support-info', database: '_system' }, { signal })

export function Support({ onClose }: { onClose: () => void }) {
  const { value, error } = useLoaded(load, [])
  const text = value === undefined ? '' : indent(value)
  return (
    <Dialog title="Support information" isWide onClose={onClose}>
      <div class="dialog-body">
        <ErrorMessage error={error} />
        <pre class="row-json" tabIndex={0}>
          {text}
        </pre>
        <footer class="dialog-foot">
          <span class="spring" />
          <button type="button" class="button" disabled={text === ''} onClick={() => copy(text)}>
            Copy
          </button>
        </footer>
      </div>
    </Dialog>
  )
}
