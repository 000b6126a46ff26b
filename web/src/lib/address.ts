/** The address of the page: the database in its path, and the page in its fragment. */
import { signal } from '@preact/signals'

/** Returns the part of the path before the interface, and the database that the path names. */
export function splitPath(path: string): { prefix: string; database: string } {
  const found = /^(.*?)(?:\/_db\/([^/]+))?\/_admin\/aardvark(?:\/|$)/.exec(path)
  if (!found) return { prefix: '', database: '_system' }
  return { prefix: found[1] ?? '', database: found[2] ? decodeURIComponent(found[2]) : '_system' }
}

/** A page: its segments, such as `collection`, `docs`, `indexes`, and its parameters. */
export interface Place {
  segments: string[]
  parameters: URLSearchParams
}

/** Parses a fragment such as `#collection/docs/indexes?x=1`. */
export function parseFragment(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split(/\?(.*)/s)
  const segments = path.split('/').filter(Boolean).map(decodeSegment)
  return { segments, parameters: new URLSearchParams(query) }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Returns the fragment of a page. */
export function link(segments: string[], parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams(parameters).toString()
  return `#${segments.map(encodeURIComponent).join('/')}${query && `?${query}`}`
}

const start = splitPath(location.pathname)

/** The part of all addresses before `/_db`, which a proxy may add. */
export const prefix = start.prefix

/** The current database. */
export const database = signal(start.database)

/** The current page. */
export const place = signal(parseFragment(location.hash))

/** Goes to another page. */
export function go(segments: string[], parameters: Record<string, string> = {}) {
  location.hash = link(segments, parameters)
}

/** Goes to the same interface in another database. */
export function switchDatabase(name: string) {
  const path = `${prefix}/_db/${encodeURIComponent(name)}/_admin/aardvark/`
  history.pushState(null, '', path + link([place.value.segments[0] === 'queries' ? 'queries' : 'collections']))
  follow()
}

function follow() {
  database.value = splitPath(location.pathname).database
  place.value = parseFragment(location.hash)
}

addEventListener('hashchange', follow)
addEventListener('popstate', follow)
