/** A dialog that imports a file: chosen, or dropped on it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { number } from '../lib/format'
import { type Column, mistake } from './columns'
import { type Dialect, guessSeparator } from './csv'
import { CsvFields } from './CsvFields'
import { type FileKind, kindOf } from './rows'
import { importFile, type OnDuplicate, type Outcome } from './send'

const DUPLICATES: [OnDuplicate, string][] = [
  ['error', 'are errors'],
  ['update', 'are updated'],
  ['replace', 'are replaced'],
  ['ignore', 'stay as they are'],
]

/** Bytes of a file that are read for its preview. */
const PREVIEW_BYTES = 50_000

interface Properties {
  collection: string
  /** A file that was dropped on the page. */
  file?: File
  onClose: () => void
  onDone: () => void
}

export function ImportDialog({ collection, file: dropped, onClose, onDone }: Properties) {
  const [file, setFile] = useState(dropped)
  const [beginning, setBeginning] = useState('')
  const [kind, setKind] = useState<FileKind>('lines')
  const [dialect, setDialect] = useState<Dialect>({ separator: ',', quote: '"' })
  const [columns, setColumns] = useState<Column[]>([])
  const [onDuplicate, setOnDuplicate] = useState<OnDuplicate>('error')
  const [progress, setProgress] = useState<{ outcome: Outcome; share: number }>()
  const [error, setError] = useState<unknown>()
  const abort = useRef(new AbortController())
  const [isBusy, setBusy] = useState(false)
  useEffect(() => () => abort.current.abort(), [])
  useEffect(() => {
    setProgress(undefined)
    if (file) void look(file)
  }, [file])
  const look = async (file: File) => {
    const text = await file.slice(0, PREVIEW_BYTES).text()
    // The last line of a long file is not whole.
    const whole = file.size > PREVIEW_BYTES ? text.replace(/[^\r\n]*$/, '') : text
    setDialect({ separator: guessSeparator(file.name, text), quote: '"' })
    setBeginning(whole)
    setKind(kindOf(file.name, text))
  }
  const act = async (event: Event) => {
    event.preventDefault()
    if (!file) return
    setBusy(true)
    setError(undefined)
    const show = (outcome: Outcome, share: number) => setProgress({ outcome, share })
    const plan = { collection, file, kind: kind === 'csv' ? { dialect, columns } : kind, onDuplicate }
    await importFile(plan, show, abort.current.signal).catch(setError)
    setBusy(false)
    onDone()
  }
  const isReady = file !== undefined && !isBusy && (kind !== 'csv' || (columns.length > 0 && mistake(columns) === ''))
  return (
    <Dialog title={`Import into ${collection}`} isWide={kind === 'csv'} onClose={onClose}>
      <form class="dialog-body" onSubmit={act}>
        <Field title="File" hint="JSON Lines, a JSON array, or CSV with attribute names in the first line.">
          <input class="input" type="file" accept=".json,.jsonl,.ndjson,.csv,.tsv,.txt" required={!file} onChange={(event) => setFile(event.currentTarget.files?.[0] ?? file)} />
        </Field>
        {file && <p class="mono">{file.name}</p>}
        {file && kind === 'csv' && beginning !== '' && <CsvFields beginning={beginning} dialect={dialect} columns={columns} onDialect={setDialect} onColumns={setColumns} />}
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
          <button type="submit" class="button is-main" disabled={!isReady}>
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
  const more = outcome.errors - outcome.details.length
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
      {more > 0 && <small>and {number(more)} more</small>}
    </div>
  )
}
