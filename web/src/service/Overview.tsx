/** The manifest of a service, and its README. */
import { database, link, prefix } from '../lib/address'
import { useLoaded } from '../lib/load'
import { ask, send } from '../lib/session'
import { type Details, missing, pathOf, type Settings } from './state'

const settings = (mount: string, signal: AbortSignal) =>
  Promise.all((['configuration', 'dependencies'] as const).map((kind) => ask<Settings>({ method: 'GET', path: pathOf(kind, mount) }, { quiet: true, signal })))

export function Overview({ service }: { service: Details }) {
  const { mount, manifest } = service
  const { value: readme } = useLoaded((signal) => send({ method: 'GET', path: pathOf('readme', mount) }, { quiet: true, signal }), [mount])
  const { value: all = [] } = useLoaded((signal) => settings(mount, signal), [mount])
  const lacks = all.flatMap(missing)
  const facts: [string, string | undefined][] = [
    ['Name', [service.name, service.version].filter(Boolean).join(' ')],
    ['Description', manifest.description],
    ['Author', manifest.author],
    ['Licence', manifest.license],
    ['ArangoDB', manifest.engines?.arangodb],
    ['Main file', manifest.main],
    ['Folder', service.path],
    ['Checksum', service.checksum],
  ]
  return (
    <>
      {lacks.length > 0 && (
        <p class="message is-warning" role="status">
          Requests are refused until {lacks.join(', ')} {lacks.length === 1 ? 'has a value' : 'have values'}. <a href={link(['service', mount, 'settings'])}>Settings</a>
        </p>
      )}
      <section class="card card-body" aria-label="Manifest">
        <dl class="facts">
          <dt>Address</dt>
          <dd>
            <a href={`${prefix}/_db/${encodeURIComponent(database.value)}${mount}`} target="_blank" rel="noopener noreferrer">
              {mount}
            </a>
          </dd>
          {facts.map(([title, text]) => text && [<dt key={title}>{title}</dt>, <dd key={`${title}:`}>{text}</dd>])}
        </dl>
      </section>
      {readme ? (
        <section class="card card-body" aria-label="README">
          <pre class="row-json">{readme}</pre>
        </section>
      ) : (
        readme === '' && <p class="muted">The service has no README.</p>
      )}
    </>
  )
}
