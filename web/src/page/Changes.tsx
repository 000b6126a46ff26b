/** Changes: a live table, the webhooks that deliver them, and subscriptions. */
import { PageHead } from '../component/PageHead'
import { link } from '../lib/address'
import { Live } from '../changes/Live'
import { Subscriptions } from '../changes/Subscriptions'
import { Webhooks } from '../changes/Webhooks'
import '../style/changes.css'

const VIEWS = [
  ['', 'Live'],
  ['webhooks', 'Webhooks'],
  ['subscriptions', 'Subscriptions'],
] as const

export function Changes({ view, name }: { view: string; name: string }) {
  return (
    <div class="page">
      <PageHead title="Changes">
        <nav class="tabs" aria-label="Views of changes">
          {VIEWS.map(([one, title]) => (
            <a key={one} class="tab" href={link(['changes', one].filter(Boolean))} aria-current={one === view ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </PageHead>
      {view === 'webhooks' ? <Webhooks opened={name} /> : view === 'subscriptions' ? <Subscriptions /> : <Live />}
    </div>
  )
}
