/** A table of entries of the log, each of which opens whole in a dialog. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { type Column, Table } from '../component/Table'
import { Entry } from './Entry'
import { type Line, timeOf } from './lines'

interface Properties {
  /** The entries, once they are loaded. */
  lines: Line[] | undefined
  error: unknown
  /** The text in place of an empty table. */
  empty: string
  /** True for a table whose entries all have one topic. */
  hasNoTopic?: boolean
}

export function LogTable({ lines, error, empty, hasNoTopic }: Properties) {
  const [opened, setOpened] = useState<Line>()
  const topic: Column<Line> = { title: 'Topic', width: 144, cell: (line) => line.topic }
  const columns: Column<Line>[] = [
    { title: 'Time', width: 212, cell: (line) => <time dateTime={line.date}>{timeOf(line)}</time> },
    { title: 'Level', width: 96, cell: (line) => <span class={/error|fatal/i.test(line.level) ? 'chip is-bad' : 'chip'}>{line.level.toLowerCase()}</span> },
    ...(hasNoTopic ? [] : [topic]),
    {
      title: 'Message',
      cell: (line) => (
        <button type="button" class="log-line" title="Open this entry" onClick={() => setOpened(line)}>
          {line.message}
        </button>
      ),
    },
  ]
  return (
    <>
      <ErrorMessage error={error} />
      {lines && (
        <div class="card fill">
          {lines.length === 0 ? <p class="empty">{empty}</p> : <Table label="Log" columns={columns} count={lines.length} row={(index) => lines[index] as Line} onOpen={setOpened} />}
        </div>
      )}
      {opened && <Entry line={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}
