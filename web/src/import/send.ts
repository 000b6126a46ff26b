/** Sends the documents of a file to a collection. */
import type { Call } from '../lib/api'
import { ask } from '../lib/session'
import { type CsvPlan, type Piece, pieces } from './rows'

/** The outcome of an import. */
export interface Outcome {
  created: number
  /** Documents that were refused, by this page or by the server. */
  errors: number
  updated: number
  ignored: number
  /** The first reasons for errors, each with its place in the file. */
  details: string[]
}

export type OnDuplicate = 'error' | 'update' | 'replace' | 'ignore'

const MAX_DETAILS = 50

export interface Import {
  collection: string
  file: File
  kind: 'lines' | 'array' | CsvPlan
  onDuplicate: OnDuplicate
}

/** Imports a file and tells after each piece how far it is. Errors: those of calls. */
export async function importFile({ collection, file, kind, onDuplicate }: Import, onProgress: (outcome: Outcome, share: number) => void, signal: AbortSignal): Promise<void> {
  const total: Outcome = { created: 0, errors: 0, updated: 0, ignored: 0, details: [] }
  const place = kind === 'array' ? 'element' : 'line'
  const addDetail = (line: number | undefined, reason: string) => {
    if (total.details.length < MAX_DETAILS) total.details.push(line === undefined ? reason : `${place} ${line}: ${reason}`)
  }
  const refuse = (line: number, reason: string) => {
    total.errors += 1
    addDetail(line, reason)
  }
  const query = new URLSearchParams({ collection, type: 'documents', details: 'true', onDuplicate })
  const send = async ({ text, lines }: Piece) => {
    const call: Call = { method: 'POST', path: `/_api/import?${query}`, text }
    const one = await ask<Outcome & { details?: string[] }>(call, { signal, quiet: true })
    for (const name of ['created', 'errors', 'updated', 'ignored'] as const) total[name] += one[name]
    for (const detail of one.details ?? []) {
      const { position, reason } = parsed(detail)
      addDetail(position === undefined ? undefined : lines[position], reason)
    }
  }
  let read = 0
  const counted = texts(file, (bytes) => (read += bytes))
  for await (const piece of pieces(counted, kind, refuse)) {
    await send(piece)
    onProgress({ ...total }, read / file.size)
  }
  onProgress({ ...total }, 1)
}

/** Returns the reason of a detail of the server's reply, and its position in the request. */
export function parsed(detail: string): { position?: number; reason: string } {
  const found = /^at position (\d+): ([\s\S]*?)(?:, offending document: [\s\S]*)?$/.exec(detail)
  return found ? { position: Number(found[1]), reason: (found[2] ?? '').replace(/^creating document failed with error '([\s\S]*)'$/, '$1') } : { reason: detail }
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
