/** The contents of a problem report: version, machine and statistics of the engine. */
import { CopyText } from '../component/CopyText'
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
          <CopyText text={text} />
        </footer>
      </div>
    </Dialog>
  )
}
