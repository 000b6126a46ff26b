/** A dialog that imports a file: chosen, or dropped on it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { number } from '../lib/format'
import { importFile, type OnDuplicate, type Outcome } from './send'

const DUPLICATES: [OnDuplicate, string][] = [
  ['error', 'are errors'],
  ['update', 'are updated'],
  ['replace', 'are replaced'],
  ['ignore', 'stay as they are'],
]

interface Properties {
  collection: string
  /** A file that was dropped on the page. */
  file?: File
  onClose: () => void
  onDone: () => void
}

export function ImportDialog({ collection, file: dropped, onClose, onDone }: Properties) {
  const [file, setFile] = useState(dropped)
  const [onDuplicate, setOnDuplicate] = useState<OnDuplicate>('error')
  const [progress, setProgress] = useState<{ outcome: Outcome; share: number }>()
  const [error, setError] = useState<unknown>()
  const abort = useRef(new AbortController())
  const [isBusy, setBusy] = useState(false)
  useEffect(() => () => abort.current.abort(), [])
  const act = async (event: Event) => {
    event.preventDefault()
    if (!file) return
    setBusy(true)
    setError(undefined)
    const show = (outcome: Outcome, share: number) => setProgress({ outcome, share })
    await importFile(collection, file, onDuplicate, show, abort.current.signal).catch(setError)
    setBusy(false)
    onDone()
  }
  return (
    <Dialog title={`Import into ${collection}`} onClose={onClose}>
      <form class="dialog-body" onSubmit={act}>
        <Field title="File" hint="JSON Lines, a JSON array, or CSV with attribute names in the first line.">
          <input class="input" type="file" accept=".json,.jsonl,.ndjson,.csv,.txt" required={!file} onChange={(event) => setFile(event.currentTarget.files?.[0] ?? file)} />
        </Field>
        {file && <p class="mono">{file.name}</p>}
        <Field title="If the key exists">
          <Select value={onDuplicate} options={DUPLICATES} onChange={setOnDuplicate} />
        </Field>
        {progress && <Progress {...progress} />}
        <ErrorMessage error={error} />
        <footer class="dialog-foot">
          <span class="spring" />
          <button type="button" class="button" onClick={onClose}>
            {progress && !isBusy ? 'Close' : 'Cancel'}
          </button>
          <button type="submit" class="button is-main" disabled={!file || isBusy}>
            Import
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

function Progress({ outcome, share }: { outcome: Outcome; share: number }) {
  const rest = [
    [outcome.updated, 'updated'],
    [outcome.ignored, 'left as they are'],
    [outcome.errors, 'refused'],
  ] as const
  return (
    <div role="status" class="field">
      <progress max={1} value={share} aria-label="Progress" />
      <span>
        {number(outcome.created)} created
        {rest.filter(([count]) => count > 0).map(([count, what]) => `, ${number(count)} ${what}`)}
      </span>
      {outcome.details.map((detail, index) => (
        <small key={index}>{detail}</small>
      ))}
    </div>
  )
}
