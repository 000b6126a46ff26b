/**
 * Signing in at an issuer of OpenID Connect. The issuer sends the browser back to this page with a
 * code, which the server exchanges. This tab compares the state: a link of somebody else cannot
 * sign it in.
 */
import { prefix } from './address'
import { TabStore } from './tabStore'

/** An issuer at which users can sign in. */
export interface Issuer {
  id: string
  name: string
}

/** A sign-in that this tab has begun. */
interface Begun {
  id: string
  state: string
  /** The page that was open. */
  fragment: string
}

/** The answer of an issuer. */
export interface Answer {
  id: string
  state: string
  code: string
}

const store = new TabStore<Begun>('sign-in')

/** Returns the issuers of the server. */
export async function issuers(): Promise<Issuer[]> {
  const reply = await fetch(`${prefix}/_db/_system/_open/auth/openid`, { credentials: 'omit', cache: 'no-store' })
  return reply.ok ? ((await reply.json()) as { result: Issuer[] }).result : []
}

/** Leaves for the page of an issuer. */
export function leaveFor(id: string, { url, state }: { url: string; state: string }) {
  const { protocol } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('The server names no page of the issuer.')
  store.write(null, { id, state, fragment: location.hash })
  location.assign(url)
}

/**
 * Returns the answer of an issuer in the address of the page, and takes it out of there. An answer
 * that this tab has not asked for is an error.
 */
export function takeAnswer(): Answer | Error | undefined {
  const answer = new URLSearchParams(location.search)
  const [code, state, failure] = [answer.get('code'), answer.get('state'), answer.get('error')]
  if (state === null || (code === null && failure === null)) return undefined
  const begun = store.read(null)
  store.forget()
  history.replaceState(null, '', location.pathname + (begun?.fragment ?? ''))
  if (begun === undefined || begun.state !== state) return new Error('This tab has not begun that sign-in. Begin it here.')
  if (code === null) return new Error(`The issuer refuses: ${answer.get('error_description') ?? failure}`)
  return { id: begun.id, state, code }
}
