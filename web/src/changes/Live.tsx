/** A table of changes that updates itself. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { type Column, Table } from '../component/Table'
import { database, go, link, place } from '../lib/address'
import { Failure } from '../lib/api'
import { number } from '../lib/format'
import { attributes } from '../lib/json'
import { ChangeDialog } from './ChangeDialog'
import { CollectionChoice } from './CollectionChoice'
import { type Change, Feed, type State } from './feed'

const STATES: Record<State, string> = {
  connecting: 'Connecting …',
  live: 'Live',
  away: 'The connection broke. It resumes where it stopped.',
  paused: 'Paused',
  failed: 'Stopped',
}

/** Characters of a document that a cell has. */
const MAX_CHARACTERS = 200
/** The status of a token whose changes are gone. */
const GONE = 410

/** Returns the time of day of a change, in UTC. */
const timeOf = ({ time = '' }: Change) => time.slice(11, 23)

function content({ text }: Change): string {
  const parts = new Map(attributes(text))
  return (parts.get('document') ?? parts.get('definition') ?? '').slice(0, MAX_CHARACTERS)
}

const columns = (onOpen: (change: Change) => void): Column<Change>[] => [
  {
    title: 'Time',
    width: 130,
    cell: (change) => (
      <button type="button" class="row-number" aria-label={`${timeOf(change)}: open ${change.operation} ${change.key ?? ''}`} title={change.time} onClick={() => onOpen(change)}>
        {timeOf(change)}
      </button>
    ),
  },
  { title: 'Operation', width: 140, cell: ({ operation }) => <span class={operation === 'remove' || operation?.startsWith('drop') ? 'chip is-bad' : 'chip'}>{operation}</span> },
  { title: 'Collection', width: 160, cell: ({ collection }) => collection },
  { title: 'Key', width: 160, cell: ({ collection, key }) => collection !== undefined && key !== undefined && <a href={link(['collection', collection, 'documents', key])}>{key}</a> },
  { title: 'Content', cell: (change) => <span class="cell-json">{content(change)}</span> },
]

export function Live() {
  const given = place.value.parameters
  const collections = (given.get('collections') ?? '').split(',').filter(Boolean)
  const filter = given.get('filter') ?? ''
  const since = given.get('since') ?? 'now'
  const feed = useMemo(() => new Feed({ since, ...(collections.length > 0 && { collections }), ...(filter && { filter }) }), [database.value, since, filter, collections.join()])
  const [opened, setOpened] = useState<Change>()
  useEffect(() => {
    feed.start()
    return () => feed.pause()
  }, [feed])
  const turn = (changed: Record<string, string>) => {
    const all = Object.entries({ collections: collections.join(), filter, since: since === 'now' ? '' : since, ...changed })
    go(['changes'], Object.fromEntries(all.filter(([, value]) => value !== '')))
  }
  const changes = feed.changes.value
  const error = feed.error.value
  const isOn = !['paused', 'failed'].includes(feed.state.value)
  return (
    <>
      <div class="page-head">
        <CollectionChoice chosen={collections} onChange={(chosen) => turn({ collections: chosen.join() })} />
        <Filter key={filter} text={filter} onChange={(text) => turn({ filter: text })} />
        <Select label="Begin" value={since === 'earliest' ? 'earliest' : ''} options={[['', 'from now on'], ['earliest', 'with the oldest change']]} onChange={(value) => turn({ since: value })} />
        <span class="spring" />
        <button type="button" class="button" onClick={() => (isOn ? feed.pause() : feed.start())}>
          {isOn ? 'Pause' : 'Continue'}
        </button>
        <button type="button" class="button" disabled={changes.length === 0} onClick={() => feed.clear()}>
          Clear
        </button>
      </div>
      <ErrorMessage error={error} />
      {error instanceof Failure && error.status === GONE && (
        <p class="message">
          <button type="button" class="link" onClick={() => feed.restart()}>
            Begin with the oldest change that is left
          </button>
        </p>
      )}
      <p class="muted" role="status">
        {STATES[feed.state.value]}
        {feed.count.value > 0 && ` · ${number(feed.count.value)} changes`}
        {feed.count.value > changes.length && `, the last ${number(changes.length)} are shown`}
      </p>
      <div class="card fill">
        {changes.length === 0 ? <p class="empty">Changes appear here as they happen.</p> : <Table label="Changes" columns={columns(setOpened)} count={changes.length} row={(index) => changes[index] as Change} onOpen={setOpened} />}
      </div>
      {opened && <ChangeDialog change={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

/** The filter, which applies when it is complete. */
function Filter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const submit = (event: Event) => {
    event.preventDefault()
    onChange(typed.trim())
  }
  return (
    <form class="change-filter" onSubmit={submit}>
      <input class="input mono" type="search" aria-label="Filter" placeholder="Filter: document.total > 100" title="An AQL expression over operation, collection, document and before" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onBlur={submit} />
    </form>
  )
}
