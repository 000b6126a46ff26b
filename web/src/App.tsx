/** The interface as a whole: signing in, or the bar and a page. */
import { place } from './lib/address'
import { lazy } from './lib/lazy'
import { isAway, state } from './lib/session'
import { Side } from './component/Side'
import { SignIn } from './page/SignIn'

const Queries = lazy(async () => (await import('./page/Queries')).Queries)

function Page() {
  const [name] = place.value.segments
  switch (name) {
    default:
      return <Queries />
  }
}

export function App() {
  if (state.value === 'out') return <SignIn />
  if (state.value === 'unknown') return <p class="page muted">{isAway.value ? 'The server does not answer. Trying again …' : 'Loading …'}</p>
  return (
    <div class="shell">
      <Side />
      <div class="stage">
        <div role="status">{isAway.value && <p class="away">The server does not answer. Trying again …</p>}</div>
        <main id="main">
          <Page />
        </main>
      </div>
    </div>
  )
}
