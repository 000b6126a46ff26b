/**
 * The token of the session. It is in the storage of this tab, so that a reload keeps it, and a new
 * tab of the same origin gets it from the others. Pages of other origins reach neither.
 */
import { prefix } from './address'
import { TabStore } from './tabStore'

/** A user's token. */
export interface Held {
  user: string
  jwt: string
}

type Message = { kind: 'ask' } | { kind: 'answer'; held: Held } | { kind: 'out'; user: string }

const store = new TabStore<Held>('session')

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(`persea-session:${prefix}`)

/** Returns the token that this tab had before a reload. */
export function storedToken(): Held | undefined {
  const held = store.read(null)
  return held && isHeld(held) && !isExpired(held.jwt) ? held : undefined
}

/** Keeps the token for a reload; `null` forgets it. */
export function storeToken(held: Held | null) {
  if (held) store.write(null, held)
  else store.forget()
}

/** Asks the other tabs for their token. */
export function askTabs() {
  post({ kind: 'ask' })
}

/** Tells the other tabs that a user has signed out. */
export function tellSignOut(user: string) {
  post({ kind: 'out', user })
}

/** Answers other tabs with `own`, and calls `adopt` with their answers and `leave` when a user signs out. */
export function listenToTabs(own: () => Held | undefined, adopt: (held: Held) => void, leave: (user: string) => void) {
  if (!channel) return
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const held = own()
    if (data.kind === 'ask' && held) post({ kind: 'answer', held })
    if (data.kind === 'answer' && isHeld(data.held) && !isExpired(data.held.jwt)) adopt(data.held)
    if (data.kind === 'out') leave(data.user)
  }
}

function post(message: Message) {
  channel?.postMessage(message)
}

const isHeld = (held: Partial<Held>): held is Held => typeof held.user === 'string' && typeof held.jwt === 'string'

function part<T>(jwt: string, index: number): Partial<T> | undefined {
  try {
    const text = jwt.split('.')[index]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    return JSON.parse(atob(text)) as Partial<T>
  } catch {
    return undefined
  }
}

/** Returns the seconds from 1970 at which a token ends. */
export function expiry(jwt: string): number {
  const claims = part<{ exp: number }>(jwt, 1)
  return claims === undefined ? 0 : (claims.exp ?? Number.POSITIVE_INFINITY)
}

/** Returns true for a token of the server, which gives a new one for it; false for one of an issuer. */
export function isRenewable(jwt: string): boolean {
  return part<{ alg: string }>(jwt, 0)?.alg === 'HS256'
}

export function isExpired(jwt: string): boolean {
  return expiry(jwt) * 1000 <= Date.now() + 5000
}
