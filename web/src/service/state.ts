/** Services, their settings and the results of their tests, as the server describes them. */
import type { Operation } from '../api/operations'
import type { Call, Method } from '../lib/api'

/** A service in the list. */
export interface Service {
  mount: string
  name?: string
  version?: string
  development: boolean
  legacy: boolean
}

/** A service with its manifest. */
export interface Details extends Service {
  path: string
  checksum?: string
  manifest: Manifest
}

interface Manifest {
  description?: string
  author?: string
  license?: string
  main?: string
  engines?: { arangodb?: string }
}

/** A parameter of the configuration, or a dependency, which has no type. */
export interface Setting {
  title: string
  type?: string
  /** The kind of service that a dependency needs. */
  name?: string
  version?: string
  description?: string
  required: boolean
  multiple?: boolean
  default?: unknown
  current?: unknown
  currentRaw?: unknown
  /** The reason why the server has not taken a value. */
  warning?: string
}

export type Settings = Record<string, Setting>

/** The kinds of settings, which are the ends of their paths. */
export type Kind = 'configuration' | 'dependencies'

/** Returns the path of a route about a service. */
export function pathOf(route: string, mount: string, parameters: Record<string, string> = {}): string {
  return `/_api/foxx/${route}?${new URLSearchParams({ mount, ...parameters })}`
}

/** Returns the names of the required settings that have no value. */
export function missing(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, one]) => (one.required && isUnset(one) ? [name] : []))
}

const isUnset = ({ current }: Setting) => current === undefined || current === null || (Array.isArray(current) && current.length === 0)

/** Returns the present value as the text of its field. That of a password is empty. */
export function textOf(setting: Setting): string {
  const value = setting.type === 'json' ? (setting.currentRaw ?? setting.current) : setting.current
  if (setting.type === 'password' || value === undefined || value === null) return ''
  if (setting.type === undefined) return [value].flat().join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the value of a text; `null` for an empty one. */
function valueOf({ type, multiple }: Setting, text: string): unknown {
  if (type === undefined) {
    const mounts = text.split(/[\s,]+/).filter(Boolean)
    return multiple ? mounts : (mounts[0] ?? null)
  }
  if (text === '') return null
  if (type === 'boolean') return text === 'true'
  // Numbers of more digits than the browser can keep are sent as they are written.
  if ((type === 'integer' || type === 'number') && /^-?\d/.test(text) && !Number.isNaN(Number(text)) && (!/^-?\d+$/.test(text) || Number.isSafeInteger(Number(text)))) return Number(text)
  return text
}

/** Returns the values that texts of fields have changed. A password without a text stays as it is. */
export function changes(settings: Settings, texts: Record<string, string>): Record<string, unknown> {
  const changed = Object.entries(settings).filter(([name, one]) => texts[name] !== undefined && texts[name] !== textOf(one))
  return Object.fromEntries(changed.map(([name, one]) => [name, valueOf(one, texts[name] ?? '')]))
}

/** Maximum bytes of a file that is installed. */
export const MAX_BYTES = 64 << 20

/** The fields of an installation. */
export interface Source {
  mount: string
  file?: File
  /** A URL, or a path of the server, in place of a file. */
  address: string
  setup: boolean
  teardown: boolean
  development: boolean
}

export type Installation = 'install' | 'upgrade' | 'replace'

const METHODS: Record<Installation, Method> = { install: 'POST', upgrade: 'PATCH', replace: 'PUT' }

/** Returns the mistake of the fields; an empty text if there is none. */
export function mistakeOf({ mount, file, address }: Source): string {
  if (mount !== '' && (!mount.startsWith('/') || mount === '/')) return 'A mount point begins with a slash and a name, such as /shop.'
  if (file && address !== '') return 'Choose a file or an address, not both.'
  if (file && !/\.(zip|js)$/i.test(file.name)) return 'The file must be a ZIP archive (.zip) or JavaScript (.js).'
  if (file && file.size > MAX_BYTES) return `The file must have at most ${MAX_BYTES >> 20} MiB.`
  return ''
}

/** Returns the request of an installation; `null` while fields are missing or wrong. */
export function installation(kind: Installation, source: Source): Call | null {
  const { mount, file, address, setup, teardown, development } = source
  if (mount === '' || (!file && address === '') || mistakeOf(source) !== '') return null
  const parameters: Record<string, string> = { setup: String(setup) }
  if (kind === 'install') parameters.development = String(development)
  else parameters.teardown = String(teardown)
  const path = kind === 'install' ? pathOf('', mount, parameters).replace('/?', '?') : pathOf('service', mount, parameters)
  const call: Call = { method: METHODS[kind], path }
  if (!file) return { ...call, body: { source: address } }
  return { ...call, file, headers: { 'content-type': /\.js$/i.test(file.name) ? 'application/javascript' : 'application/zip' } }
}

/** The results of tests, by suite. */
export interface Report extends Suite {
  stats: { tests: number; passes: number; pending: number; failures: number; duration: number }
}

export interface Suite {
  title?: string
  suites: Suite[]
  tests: Test[]
}

export interface Test {
  title: string
  result: 'pass' | 'fail' | 'pending'
  duration?: number
  err?: string | { message?: string; stack?: string }
}

/** Returns the reason why a test fails, with its stack. */
export function reasonOf({ err }: Test): string {
  if (typeof err === 'string' || err === undefined) return err ?? ''
  const { message = '', stack = '' } = err
  return stack.includes(message) ? stack : [message, stack].filter(Boolean).join('\n')
}

/** The description of a service's routes, in the format of OpenAPI 2. */
export interface Swagger {
  paths: Record<string, Record<string, Route>>
}

interface Route {
  tags?: string[]
  summary?: string
  description?: string
  consumes?: string[]
  parameters?: { name: string; in: string }[]
}

const METHOD = /^(get|post|put|patch|delete)$/

/** Returns the routes as operations below the mount point. */
export function operationsOf({ paths }: Swagger, mount: string): Operation[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, route]) => ({ path, method, route })))
  return routes.filter(({ method }) => METHOD.test(method)).map(({ path, method, route }) => operationOf(mount + path, method, route))
}

function operationOf(path: string, method: string, { tags = [], summary, description, consumes = [], parameters = [] }: Route): Operation {
  const isSent = (one: { name: string; in: string }): one is Operation['parameters'][number] => ['path', 'query', 'header'].includes(one.in)
  return {
    method: method.toUpperCase() as Method,
    path,
    family: tags[0] ?? '',
    summary: summary ?? description ?? '',
    parameters: parameters.filter(isSent),
    body: '',
    mediaType: (consumes[0] ?? 'application/json').replace(/;.*$/, ''),
    access: 'service',
    isOfSystem: false,
  }
}
