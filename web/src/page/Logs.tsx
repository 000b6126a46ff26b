/** The recent lines of the server's log. */
import { useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { Select } from '../component/Select'
import { Table, type Column } from '../component/Table'
import { useEvery, useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { Entry, type Line, timeOf } from '../log/Entry'
import { Levels } from '../log/Levels'

const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug', 'trace']

async function load(upto: string, search: string, signal: AbortSignal): Promise<Line[]> {
  const query = new URLSearchParams({ upto, size: '1000', sort: 'desc' })
  if (search) query.set('search', search)
  const call = { method: 'GET', path: `/_admin/log/entries?${query}`, database: '_system' } as const
  return (await ask<{ messages: Line[] }>(call, { quiet: true, signal })).messages
}

export function Logs() {
  const [level, setLevel] = useState('info')
  const [search, setSearch] = useState('')
  const [opened, setOpened] = useState<Line>()
  const [isSetting, setSetting] = useState(false)
  const { value = [], error, reload } = useLoaded((signal) => load(level, search, signal), [level, search])
  useEvery(3000, reload)
  const columns: Column<Line>[] = [
    { title: 'Time', width: 212, cell: (line) => <time dateTime={line.date}>{timeOf(line)}</time> },
    { title: 'Level', width: 96, cell: (line) => <span class={/error|fatal/i.test(line.level) ? 'chip is-bad' : 'chip'}>{line.level.toLowerCase()}</span> },
    { title: 'Topic', width: 144, cell: (line) => line.topic },
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
    <div class="page">
      <PageHead title="Logs">
        <Select label="Level" value={level} options={LEVELS.map((one) => [one, `up to ${one}`] as const)} onChange={setLevel} />
        <input class="input" type="search" aria-label="Text" placeholder="Text" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        <span class="spring" />
        <button type="button" class="button" onClick={() => setSetting(true)}>
          Log levels
        </button>
      </PageHead>
      <ErrorMessage error={error} />
      <div class="card fill">
        {value.length === 0 ? <p class="empty">No log entries.</p> : <Table label="Log" columns={columns} count={value.length} row={(index) => value[index] as Line} onOpen={setOpened} />}
      </div>
      {opened && <Entry line={opened} onClose={() => setOpened(undefined)} />}
      {isSetting && <Levels onClose={() => setSetting(false)} />}
    </div>
  )
}
