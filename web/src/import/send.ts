/** Sends the documents of a file to a collection. */
import type { Call } from '../lib/api'
import { ask } from '../lib/session'
import { kindOf, pieces } from './rows'

/** The outcome of an import. */
export interface Outcome {
  created: number
  errors: number
  updated: number
  ignored: number
  /** The first reasons for errors. */
  details: string[]
}

export type OnDuplicate = 'error' | 'update' | 'replace' | 'ignore'

const MAX_DETAILS = 20

/** Imports a file and tells after each piece how far it is. Errors: those of calls. */
export async function importFile(
  collection: string,
  file: File,
  onDuplicate: OnDuplicate,
  onProgress: (outcome: Outcome, share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const total: Outcome = { created: 0, errors: 0, updated: 0, ignored: 0, details: [] }
  const kind = kindOf(file.name, await file.slice(0, 100).text())
  const query = new URLSearchParams({ collection, type: kind === 'array' ? 'array' : 'documents', details: 'true', onDuplicate })
  const send = async (text: string, share: number) => {
    const call: Call = { method: 'POST', path: `/_api/import?${query}`, text }
    const one = await ask<Outcome & { details?: string[] }>(call, { signal, quiet: true })
    for (const name of ['created', 'errors', 'updated', 'ignored'] as const) total[name] += one[name]
    total.details = [...total.details, ...(one.details ?? [])].slice(0, MAX_DETAILS)
    onProgress({ ...total }, share)
  }
  if (kind === 'array') return send(await file.text(), 1)
  let read = 0
  const counted = texts(file, (bytes) => (read += bytes))
  for await (const piece of pieces(counted, kind)) await send(piece, read / file.size)
}

/** Yields the text of a file in parts, and tells the bytes of each. */
async function* texts(file: File, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onRead(value.byteLength)
    yield decoder.decode(value, { stream: true })
  }
}
