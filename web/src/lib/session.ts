/**
 * The user of this tab, and the requests that it sends.
 *
 * The token is in the memory and the storage of the tab. Nothing that a browser would add to a
 * request by itself identifies a user, so a foreign page cannot act in the user's name.
 */
import { computed, signal } from '@preact/signals'
import { database, prefix, switchDatabase } from './address'
import { bodyOf, type Call, Failure, fullPath, path } from './api'
import { type Answer, leaveFor, takeAnswer } from './openid'
import { forgetRequests, record } from './requests'
import { askTabs, expiry, type Held, isExpired, isRenewable, listenToTabs, storedToken, storeToken, tellSignOut } from './token'

export type Level = 'rw' | 'ro' | 'none'

const token = signal<string | null>(null)

/** The name of the user; `null` without authentication. */
export const user = signal<string | null>(null)

/** `unknown` until the server has told if it wants a user. */
export const state = signal<'unknown' | 'out' | 'in'>('unknown')

/** The reason why the sign-in at an issuer failed. */
export const signInError = signal<unknown>(undefined)

/** True while the server is not reachable. */
export const isAway = signal(false)

/** The user's rights on databases. */
export const levels = signal<Record<string, Level>>({})

/** The databases that the user may use. */
export const databaseNames = signal<string[]>([])

/** True if the user may create and drop collections, indexes and graphs. */
export const mayChangeDatabase = computed(() => user.value === null || levels.value[database.value] === 'rw')

/** True if the user may administer the server. */
export const mayAdminister = computed(() => user.value === null || levels.value._system === 'rw')

interface Options {
  signal?: AbortSignal
  /** True for a request that is not shown to the user, such as a poll. */
  quiet?: boolean
  /** True for a request that the end of the page does not end. */
  keepalive?: boolean
}

/** Sends a call and returns its reply, whose body may still come. Errors: those of `fetch`. */
export async function open(call: Call, { signal, keepalive }: Options = {}): Promise<Response> {
  // The second header lets a server answer that follows another one.
  const headers: Record<string, string> = { 'x-omit-www-authenticate': 'true', 'x-arango-allow-dirty-read': 'true', ...call.headers }
  if (token.value !== null) headers.authorization = `bearer ${token.value}`
  const body = call.file ?? bodyOf(call)
  if (body !== undefined) headers['content-type'] ??= 'application/json'
  const address = prefix + fullPath(call, database.value)
  // Without credentials, the browser neither adds a login of its own nor asks for one.
  const reply = await fetch(address, { method: call.method, headers, body, signal, keepalive, credentials: 'omit', cache: 'no-store' })
  isAway.value = false
  if (reply.status === 401 && token.value !== null) {
    if (isExpired(token.value)) endAndAsk()
    else void checkToken(token.value)
  }
  return reply
}

let isChecking = false

/** Ends the session if its token was withdrawn or the password has changed: a missing right has the same status. */
async function checkToken(jwt: string) {
  if (isChecking || user.value === null) return
  isChecking = true
  try {
    const headers = { authorization: `bearer ${jwt}`, 'x-omit-www-authenticate': 'true' }
    const address = `${prefix}/_db/_system${path`/_api/user/${user.value}`}`
    const reply = await fetch(address, { headers, credentials: 'omit', cache: 'no-store' })
    if (reply.status === 401 && token.value === jwt) endAndAsk()
  } catch {
    // The server is not reachable, which other requests notice.
  } finally {
    isChecking = false
  }
}

function endAndAsk() {
  endSession()
  askTabs()
}

/** Sends a call and returns its reply, also one of an error. Errors: `Failure` without a reply, and `AbortError`. */
export async function exchange(call: Call, options: Options = {}): Promise<{ status: number; text: string }> {
  const started = performance.now()
  const report = (status: number) => {
    // The list of requests must not have a password.
    const listed = call.isSecret ? { ...call, body: undefined } : call
    if (!options.quiet) record({ ...listed, database: call.database ?? database.value }, status, performance.now() - started)
  }
  try {
    const reply = await open(call, options)
    const text = await reply.text()
    report(reply.status)
    return { status: reply.status, text }
  } catch (error) {
    if (options.signal?.aborted) throw error
    report(0)
    isAway.value = true
    throw new Failure('the server is not reachable', 0)
  }
}

/** Sends a call and returns the text of its reply. Errors: `Failure`, and `AbortError`. */
export async function send(call: Call, options?: Options): Promise<string> {
  const { status, text } = await exchange(call, options)
  if (status >= 200 && status < 300) return text
  throw Failure.of(status, text)
}

/** Sends a call and returns the value of its reply. */
export async function ask<T>(call: Call, options?: Options): Promise<T> {
  return JSON.parse(await send(call, options)) as T
}

/** Milliseconds for which a new tab waits for the session of another one. */
const ANSWER_MILLISECONDS = 100

/** Finds out if the server wants a user, and if the user of this tab is still signed in. */
export async function begin() {
  const answer = takeAnswer()
  if (answer !== undefined) {
    try {
      if (answer instanceof Error) throw answer
      return await signInBy(answer)
    } catch (error) {
      signInError.value = error
    }
  }
  const held = storedToken()
  if (held) hold(held)
  try {
    await loadDatabases()
    lastUser = user.value
    state.value = 'in'
  } catch (error) {
    if (error instanceof Failure && error.status === 0) return
    clearToken()
    askTabs()
    // Their answer comes before the form, or the form would go away under the user's hands.
    setTimeout(() => state.value === 'unknown' && endSession(), ANSWER_MILLISECONDS)
  }
}

/** Takes a token as that of this tab. */
function hold(held: Held) {
  token.value = held.jwt
  user.value = held.user
  storeToken(held)
}

/** Forgets what belongs to the last user if this is another. */
function change(name: string) {
  if (lastUser !== null && lastUser !== name) for (const forget of forgetters) forget()
  lastUser = name
}

const own = (): Held | undefined => (token.value !== null && user.value !== null && state.value === 'in' ? { user: user.value, jwt: token.value } : undefined)

/** Signs in with the token of another tab, unless this tab waits for another user. */
async function adopt(held: Held) {
  if (state.value === 'in' || token.value !== null || (lastUser !== null && lastUser !== held.user)) return
  hold(held)
  try {
    await loadDatabases()
  } catch {
    return endSession()
  }
  change(held.user)
  state.value = 'in'
}

listenToTabs(own, adopt, (name) => {
  if (user.value === name) leave()
})

/** Calls that forget what belongs to a user: queries, results, requests. */
const forgetters: (() => void)[] = [forgetRequests]

let lastUser: string | null = null

/** Adds a call that forgets what belongs to a user. */
export function whenUserChanges(forget: () => void) {
  forgetters.push(forget)
}

/** Signs in. Errors: `Failure` with status 401 for a wrong name or password. */
export async function signIn(name: string, password: string) {
  // The call is not recorded: it has the password.
  const call: Call = { method: 'POST', path: '/_open/auth', database: '_system', body: { username: name, password } }
  const { jwt } = await ask<{ jwt: string }>(call, { quiet: true })
  change(name)
  hold({ user: name, jwt })
  await loadDatabases()
  state.value = 'in'
}

/** Goes to the page of an issuer, which sends the user back. */
export async function signInAt(id: string) {
  const call: Call = { method: 'POST', path: path`/_open/auth/openid/${id}/start`, database: '_system' }
  leaveFor(id, await ask<{ url: string; state: string }>(call, { quiet: true }))
}

/** Signs in with the answer of an issuer. */
async function signInBy({ id, state: sent, code }: Answer) {
  const call: Call = { method: 'POST', path: path`/_open/auth/openid/${id}/finish`, database: '_system', body: { state: sent, code }, isSecret: true }
  const held = await ask<Held>(call, { quiet: true })
  change(held.user)
  hold({ user: held.user, jwt: held.jwt })
  try {
    await loadDatabases()
  } catch (error) {
    clearToken()
    throw error
  }
  state.value = 'in'
}

/** Forgets the user and all that the user did. */
export function signOut() {
  if (user.value !== null) tellSignOut(user.value)
  leave()
}

function leave() {
  for (const forget of forgetters) forget()
  endSession()
}

/** Asks for the password again. The same user finds everything as it was. */
function endSession() {
  clearToken()
  state.value = 'out'
}

function clearToken() {
  token.value = null
  storeToken(null)
  user.value = null
  levels.value = {}
}

async function loadLevels() {
  const call: Call = { method: 'GET', path: `/_api/user/${encodeURIComponent(user.value ?? '')}/database`, database: '_system' }
  levels.value = (await ask<{ result: Record<string, Level> }>(call, { quiet: true })).result
}

/** Loads the names of the databases that the user may use, and the rights on them. */
export async function loadDatabases() {
  if (user.value === null) {
    const call: Call = { method: 'GET', path: '/_api/database/user', database: '_system' }
    databaseNames.value = (await ask<{ result: string[] }>(call, { quiet: true })).result.sort()
  } else {
    await loadLevels()
    databaseNames.value = Object.keys(levels.value).filter((name) => levels.value[name] !== 'none').sort()
  }
  // The address may name a database that the user has no right to.
  const [first] = databaseNames.value
  if (first !== undefined && !databaseNames.value.includes(database.value)) switchDatabase(first)
}

/** Renews the token while its tab is used, and asks for the server while it is away. */
export function keepAlive() {
  setInterval(async () => {
    // Only the issuer renews its own.
    if (token.value === null || !isRenewable(token.value) || document.hidden || expiry(token.value) * 1000 - Date.now() > 15 * 60_000) return
    const call: Call = { method: 'POST', path: '/_open/auth/renew', database: '_system' }
    const { jwt } = await ask<{ jwt: string }>(call, { quiet: true })
    if (user.value !== null) hold({ user: user.value, jwt })
  }, 60_000)
  setInterval(() => {
    if (!isAway.value) return
    if (state.value === 'unknown') void begin()
    else send({ method: 'GET', path: '/_admin/server/availability', database: '_system' }, { quiet: true }).catch(() => {})
  }, 1000)
}
