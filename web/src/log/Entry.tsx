/** A dialog with one entry of the log, whole. */
import { CopyText } from '../component/CopyText'
import { Dialog } from '../component/Dialog'
import { type Line, timeOf } from './lines'

export function Entry({ line, onClose }: { line: Line; onClose: () => void }) {
  return (
    <Dialog title={`${line.level.toLowerCase()} in ${line.topic}, ${timeOf(line)}`} isWide onClose={onClose}>
      <div class="dialog-body">
        <pre class="row-json" tabIndex={0} aria-label="Message">
          {line.message}
        </pre>
        <footer class="dialog-foot">
          <span class="spring" />
          <CopyText text={`${line.date} ${line.level} {${line.topic}} ${line.message}`} />
        </footer>
      </div>
    </Dialog>
  )
}
