/** The queries that the user ran or saved. */
import { useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import { Tabs } from '../component/Tabs'
import { database } from '../lib/address'
import { forget, kept, type Remembered, save } from './history'
import { current, open as openTab } from './tabs'

const LISTS = ['History', 'Saved'] as const

export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const [list, setList] = useState<(typeof LISTS)[number]>('History')
  const [filter, setFilter] = useState('')
  const all = list === 'History' ? kept.value.history : kept.value.saved
  const shown = all.filter((one) => `${one.name ?? ''} ${one.query}`.toLowerCase().includes(filter.toLowerCase()))
  const open = (one: Remembered) => {
    openTab(one.query, one.binds)
    onClose()
  }
  return (
    <Dialog title="Queries" isWide onClose={onClose}>
      <div class="dialog-body">
        <div class="side-row">
          <Tabs label="Lists" names={LISTS} chosen={list} onChoose={setList} />
          <span class="spring" />
          <input class="input" type="search" aria-label="Filter" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </div>
        {list === 'Saved' && <SaveForm />}
        {shown.length === 0 && <p class="muted">Nothing here yet.</p>}
        {shown.map((one, index) => (
          <div class="side-row" key={index}>
            <button type="button" class="button remembered" onClick={() => open(one)}>
              {one.name && <b>{one.name}</b>}
              <code>{one.query}</code>
            </button>
            <span class="chip">{one.database}</span>
            {list === 'Saved' && (
              <button type="button" class="icon-button" aria-label={`Remove ${one.name}`} onClick={() => forget(one.name ?? '')}>
                ✕
              </button>
            )}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

function SaveForm() {
  const [name, setName] = useState('')
  const act = (event: Event) => {
    event.preventDefault()
    save({ name, query: current.value.text.value, binds: current.value.bindText.value, database: database.value })
    setName('')
  }
  return (
    <form class="side-row" onSubmit={act}>
      <input class="input" aria-label="Name of the query" placeholder="Name for the query in the editor" value={name} required onInput={(event) => setName(event.currentTarget.value)} />
      <button type="submit" class="button" disabled={current.value.text.value.trim() === ''}>
        Save
      </button>
    </form>
  )
}
