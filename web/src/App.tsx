/** The interface as a whole: signing in, or the bar and a page. */
import { useSignalEffect } from '@preact/signals'
import { database, place } from './lib/address'
import { lazy } from './lib/lazy'
import { databaseNames, isAway, state, user } from './lib/session'
import { Boundary } from './component/Boundary'
import { Sidebar } from './component/Sidebar'
import { SignIn } from './page/SignIn'

const Queries = lazy(async () => (await import('./page/Queries')).Queries)
const Collections = lazy(async () => (await import('./page/Collections')).Collections)
const Collection = lazy(async () => (await import('./page/Collection')).Collection)
const Graphs = lazy(async () => (await import('./page/Graphs')).Graphs)
const GraphViewer = lazy(async () => (await import('./page/GraphViewer')).GraphViewer)
const Views = lazy(async () => (await import('./page/Views')).Views)
const View = lazy(async () => (await import('./page/View')).View)
const Analyzers = lazy(async () => (await import('./page/Analyzers')).Analyzers)
const Changes = lazy(async () => (await import('./page/Changes')).Changes)
const Services = lazy(async () => (await import('./page/Services')).Services)
const Service = lazy(async () => (await import('./page/Service')).Service)
const Dashboard = lazy(async () => (await import('./page/Dashboard')).Dashboard)
const Activity = lazy(async () => (await import('./page/Activity')).Activity)
const Logs = lazy(async () => (await import('./page/Logs')).Logs)
const Api = lazy(async () => (await import('./page/Api')).Api)
const Shell = lazy(async () => (await import('./page/Shell')).Shell)
const Databases = lazy(async () => (await import('./page/Databases')).Databases)
const Follow = lazy(async () => (await import('./page/Follow')).Follow)
const Users = lazy(async () => (await import('./page/Users')).Users)
const NoRights = lazy(async () => (await import('./page/NoRights')).NoRights)
const User = lazy(async () => (await import('./page/User')).User)

function Page() {
  const [name, object = '', view = '', part] = place.value.segments
  if (user.value !== null && databaseNames.value.length === 0 && name !== 'user') return <NoRights />
  switch (name) {
    case 'collections':
      return <Collections />
    case 'collection':
      return <Collection key={object} name={object} view={view} part={part} />
    case 'graphs':
      return <Graphs />
    case 'graph':
      return <GraphViewer key={object} name={object} />
    case 'views':
      return <Views />
    case 'view':
      return <View key={object} name={object} />
    case 'analyzers':
      return <Analyzers />
    case 'changes':
      return <Changes view={object} name={view} />
    case 'services':
      return <Services />
    case 'service':
      return <Service key={object} mount={object} view={view} part={part} />
    case 'dashboard':
      return <Dashboard />
    case 'activity':
      return <Activity />
    case 'shell':
      return <Shell key={database.value} />
    case 'api':
      return <Api chosen={object} />
    case 'databases':
      return <Databases />
    case 'follow':
      return <Follow />
    case 'users':
      return <Users />
    case 'user':
      return <User key={object} name={object} />
    case 'logs':
      return <Logs />
    default:
      return <Queries />
  }
}

/** Loads the code of the first page while the server is asked for the user. */
export function preload() {
  const [name = 'queries'] = place.value.segments
  if (name === 'queries') Queries.preload()
}

/** Returns the title of the page for tabs and bookmarks of the browser. */
function title(): string {
  const [name = 'queries', object] = place.value.segments
  return [object ?? name.charAt(0).toUpperCase() + name.slice(1), database.value, 'Persea'].join(' · ')
}

export function App() {
  useSignalEffect(() => {
    document.title = state.value === 'in' ? title() : 'Persea'
  })
  if (state.value === 'out') return <SignIn />
  if (state.value === 'unknown') return <p class="page muted">{isAway.value ? 'The server is not reachable. Retrying …' : 'Loading …'}</p>
  return (
    <div class="shell">
      <Sidebar />
      <div class="stage">
        <div role="status">{isAway.value && <p class="away">The server is not reachable. Retrying …</p>}</div>
        <main tabIndex={0} aria-label="Page">
          <Boundary of={[database.value, ...place.value.segments].join('/')} title="The page">
            <Page />
          </Boundary>
        </main>
      </div>
    </div>
  )
}
