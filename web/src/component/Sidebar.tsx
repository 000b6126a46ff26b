/** The sidebar: pages, database, user. */
import { useState } from 'preact/hooks'
import icon from '../icon.svg'
import { database, link, place, switchDatabase } from '../lib/address'
import { databaseNames, mayAdminister, signOut, user } from '../lib/session'
import { nextTheme, theme } from '../lib/theme'
import { Drafts } from './Drafts'
import { Icon, type IconName } from './Icon'
import { Requests } from './Requests'
import { Select } from './Select'

interface Entry {
  name: IconName
  title: string
  /** The first segments of further pages that belong to the entry. */
  also?: string
}

const DATABASE_PAGES: Entry[] = [
  { name: 'queries', title: 'Queries' },
  { name: 'collections', title: 'Collections', also: 'collection' },
  { name: 'graphs', title: 'Graphs', also: 'graph' },
  { name: 'views', title: 'Views', also: 'view' },
  { name: 'analyzers', title: 'Analyzers' },
  { name: 'changes', title: 'Changes' },
  { name: 'services', title: 'Services', also: 'service' },
  { name: 'shell', title: 'Shell' },
]
const SERVER_PAGES: Entry[] = [
  { name: 'dashboard', title: 'Dashboard' },
  { name: 'activity', title: 'Running queries' },
  { name: 'databases', title: 'Databases' },
  { name: 'users', title: 'Users', also: 'user' },
  { name: 'follow', title: 'Follow' },
  { name: 'logs', title: 'Logs' },
  { name: 'api', title: 'API' },
]

export function Sidebar() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const server = mayAdminister.value ? SERVER_PAGES : SERVER_PAGES.filter((entry) => !['databases', 'users', 'follow', 'logs'].includes(entry.name))
  return (
    <nav class={isOpen ? 'side is-open' : 'side'} aria-label="Pages">
      <div class="brand">
        <img src={icon} alt="" />
        Persea
        <button type="button" class="icon-button menu-button" aria-expanded={isOpen} aria-label="Menu" onClick={() => setOpen(!isOpen)}>
          ☰
        </button>
      </div>
      <DatabaseChoice />
      <Links entries={DATABASE_PAGES} onGo={close} />
      <p class="label side-group">Server</p>
      <Links entries={server} onGo={close} />
      <div class="side-end">
        <Drafts />
        <Requests />
        <div class="side-row">
          {user.value === null ? (
            <span class="who">No authentication</span>
          ) : (
            <a class="who" href={link(['user', user.value])} title="Your password and rights" aria-current={place.value.segments[0] === 'user' && place.value.segments[1] === user.value ? 'page' : undefined}>
              {user.value}
            </a>
          )}
          <button type="button" class="icon-button" aria-label={`Colours: ${theme.value}`} title={`Colours: ${theme.value}`} onClick={nextTheme}>
            <Icon name={theme.value} />
          </button>
          {user.value !== null && (
            <button type="button" class="icon-button" aria-label="Sign out" title="Sign out" onClick={signOut}>
              <Icon name="leave" />
            </button>
          )}
        </div>
      </div>
    </nav>
  )
}

function Links({ entries, onGo }: { entries: Entry[]; onGo: () => void }) {
  const first = place.value.segments[0] ?? 'queries'
  return (
    <>
      {entries.map(({ name, title, also }) => (
        <a key={name} href={link([name])} onClick={onGo} aria-current={first === name || first === also ? 'page' : undefined}>
          <Icon name={name} />
          {title}
        </a>
      ))}
    </>
  )
}

function DatabaseChoice() {
  const names = databaseNames.value
  const all = names.includes(database.value) ? names : [database.value, ...names]
  return (
    <label class="field database">
      <span class="only-read">Database</span>
      <Select value={database.value} options={all} onChange={switchDatabase} />
    </label>
  )
}
