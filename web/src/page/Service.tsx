/** One service: its manifest and README, settings, scripts, tests, routes and messages. */
import { PageHead } from '../component/PageHead'
import { ErrorMessage, MissingRight } from '../component/Message'
import { database, link } from '../lib/address'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'
import { Actions } from '../service/Actions'
import { Log } from '../service/Log'
import { Overview } from '../service/Overview'
import { Routes } from '../service/Routes'
import { Scripts } from '../service/Scripts'
import { SettingsForm } from '../service/SettingsForm'
import { type Details, pathOf } from '../service/state'
import { Tests } from '../service/Tests'
import '../style/service.css'

const VIEWS = [
  ['', 'Overview'],
  ['settings', 'Settings'],
  ['scripts', 'Scripts'],
  ['tests', 'Tests'],
  ['routes', 'Routes'],
  ['log', 'Log'],
] as const

interface Properties {
  mount: string
  view: string
  part?: string
}

export function Service(properties: Properties) {
  const above = ['services', 'Services'] as const
  if (mayChangeDatabase.value) return <Managed {...properties} above={above} />
  return (
    <div class="page">
      <PageHead title={properties.mount} above={above} />
      <MissingRight right={`only users with write access to the database ${database.value} see the settings of its services`} />
    </div>
  )
}

function Managed({ mount, view, part, above }: Properties & { above: readonly [string, string] }) {
  const { value, error, reload } = useLoaded((signal) => ask<Details>({ method: 'GET', path: pathOf('service', mount) }, { signal }), [database.value, mount])
  return (
    <div class="page">
      <PageHead title={mount} above={above}>
        <nav class="tabs" aria-label="Views of the service">
          {VIEWS.map(([one, title]) => (
            <a key={one} class="tab" href={link(['service', mount, one].filter(Boolean))} aria-current={one === view ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="spring" />
        {value && !error && <Actions service={value} onChanged={reload} />}
      </PageHead>
      <ErrorMessage error={error} />
      {value && !error && <View key={value.checksum} service={value} view={view} part={part} />}
    </div>
  )
}

function View({ service, view, part }: { service: Details; view: string; part?: string }) {
  switch (view) {
    case 'settings':
      return (
        <div class="service-forms">
          <SettingsForm mount={service.mount} kind="configuration" />
          <SettingsForm mount={service.mount} kind="dependencies" />
        </div>
      )
    case 'scripts':
      return <Scripts mount={service.mount} />
    case 'tests':
      return <Tests mount={service.mount} />
    case 'routes':
      return <Routes mount={service.mount} chosen={part} />
    case 'log':
      return <Log mount={service.mount} />
    default:
      return <Overview service={service} />
  }
}
