/** A dialog with one entry of the log, whole. */
import { CopyText } from '../component/CopyText'
import { Dialog } from '../component/Dialog'

/** An entry of the log. */
export interface Line {
  id: number
  topic: string
  level: string
  date: string
  message: string
}

/** Returns the time of an entry, to the millisecond. */
export const timeOf = ({ date }: Line) => date.replace('T', ' ').slice(0, 23)

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
