/** Webhooks: what the server tells about them, and what their form sends. */

/** A webhook as the server describes it. The secret and the headers are never part of it. */
export interface Webhook {
  name: string
  url: string
  user: string | null
  collections: string[] | null
  filter: string | null
  bindVars?: unknown
  format: string
  batchSize: number
  batchWait: number
  maxAttempts: number
  paused: boolean
  token: string
  lag: number
  state: 'running' | 'paused' | 'retrying' | 'failed'
  attempts: number
  lastError: string | null
  lastSuccess: string | null
  deadLetters: number
}

/** A delivery that failed for good. */
export interface DeadLetter {
  key: string
  time: string
  error: string
  changes: number
  attempts: number
  bytes: number
}

/** The fields of the form, as they are typed. */
export interface Fields {
  name: string
  url: string
  secret: string
  collections: string[]
  filter: string
  bindVars: string
  format: string
  since: string
  batchSize: string
  batchWait: string
  maxAttempts: string
  /** A line for each header. */
  headers: string
}

export const FORMATS = ['persea', 'debezium', 'cloudevents'] as const

export const EMPTY: Fields = { name: '', url: '', secret: '', collections: [], filter: '', bindVars: '', format: 'persea', since: 'now', batchSize: '', batchWait: '', maxAttempts: '', headers: '' }

/** Returns the fields of a webhook that is there. */
export function fieldsOf(hook: Webhook): Fields {
  const { name, url, format } = hook
  return {
    ...EMPTY,
    name,
    url,
    format,
    collections: hook.collections ?? [],
    filter: hook.filter ?? '',
    bindVars: hook.bindVars ? JSON.stringify(hook.bindVars) : '',
    batchSize: String(hook.batchSize),
    batchWait: String(hook.batchWait),
    maxAttempts: String(hook.maxAttempts),
  }
}

/** Returns the headers of lines such as `name: value`. Errors: a line without a colon. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new Error(`Expecting "name: value" instead of "${line}".`)
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}

/** Returns the values of bind parameters. Errors: a text that is no JSON object. */
function bindVarsOf(text: string): unknown {
  if (text.trim() === '') return null
  const values: unknown = JSON.parse(text)
  if (typeof values !== 'object' || values === null || Array.isArray(values)) throw new Error('Bind parameters must be a JSON object.')
  return values
}

/**
 * Returns the body of the request that makes a webhook, or changes one that is there.
 *
 * A secret and headers that are not typed stay as they are. Errors: a field that cannot be read.
 */
export function bodyOf(fields: Fields, isNew: boolean): Record<string, unknown> {
  const numbers = Object.entries({ batchSize: fields.batchSize, batchWait: fields.batchWait, maxAttempts: fields.maxAttempts })
  const given = numbers.filter(([, text]) => text.trim() !== '').map(([name, text]) => [name, Number(text)])
  return {
    ...(isNew && { name: fields.name, since: fields.since }),
    url: fields.url,
    ...(fields.secret !== '' && { secret: fields.secret }),
    collections: fields.collections.length === 0 ? null : fields.collections,
    filter: fields.filter.trim() || null,
    bindVars: bindVarsOf(fields.bindVars),
    format: fields.format,
    ...(fields.headers.trim() !== '' && { headers: headersOf(fields.headers) }),
    ...Object.fromEntries(given),
  }
}

/** The reply to a test delivery. */
export interface Pinged {
  delivered: boolean
  status: number | null
  error: string | null
}

/** Returns what became of a test delivery. */
export function outcome({ delivered, status, error }: Pinged): string {
  if (delivered) return `The receiver took the test delivery with status ${status}.`
  return `The test delivery failed: ${error}`
}

/** Returns true for a webhook that does not deliver until it is told to go on. */
export const isStopped = ({ state }: Webhook) => state === 'paused' || state === 'failed'
