/** Calls of the server's API: how they are sent, how they fail, and how curl would send them. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request. */
export interface Call {
  method: Method
  /** The path within the database, such as `/_api/cursor`. */
  path: string
  /** A value to send as JSON. */
  body?: unknown
  /** JSON that is sent as it is. */
  text?: string
  /** A file that is sent as it is. The headers have its type. */
  file?: File
  headers?: Record<string, string>
  /** True for a body with a password: it is neither listed nor copied. */
  isSecret?: boolean
  /** The database; the current one if it is absent. */
  database?: string
}

/** Returns a path with names in place of its gaps. */
export function path(parts: TemplateStringsArray, ...names: string[]): string {
  return parts.reduce((all, part, index) => all + encodeURIComponent(names[index - 1] ?? '') + part)
}

/** Returns the body of a call as text. */
export function bodyOf(call: Call): string | undefined {
  return call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
}

/** Returns the path of a call with its database. */
export function fullPath(call: Call, database: string): string {
  return `/_db/${encodeURIComponent(call.database ?? database)}${call.path}`
}

/** Returns the command line that sends a call. It names the user, and curl asks for the password. */
export function curl(call: Call, database: string, origin: string, user: string | null): string {
  const words = ['curl']
  if (call.method !== 'GET') words.push('-X', call.method)
  if (user !== null) words.push('-u', quote(user))
  words.push(quote(origin + fullPath(call, database)))
  for (const [name, value] of Object.entries(call.headers ?? {})) words.push('-H', quote(`${name}: ${value}`))
  const body = call.isSecret ? '@-' : call.file ? `@${call.file.name}` : bodyOf(call)
  if (body !== undefined) words.push('--data-binary', quote(body))
  return words.join(' ')
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** The error of a call. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly number = 0,
    readonly position?: { line: number; column: number },
  ) {
    super(message)
  }

  /** Returns the failure that a reply describes. */
  static of(status: number, text: string): Failure {
    try {
      const reply = JSON.parse(text)
      if (typeof reply.errorMessage === 'string') {
        return new Failure(reply.errorMessage, status, reply.errorNum, reply.position)
      }
    } catch {
      // The reply comes from a proxy, not from the server.
    }
    return new Failure(`the server answered with status ${status}`, status)
  }
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Failure && error.number) return `${error.message} (${error.number})`
  return error instanceof Error ? error.message : String(error)
}
