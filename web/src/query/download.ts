/** Results as files. The rows that are not fetched yet are fetched for the file. */
import { attributes, skipValue } from '../lib/json'
import type { Cursor } from './cursor'

export type FileFormat = 'JSON' | 'JSON Lines' | 'CSV'

export const FORMATS: Record<FileFormat, { ending: string; type: string }> = {
  JSON: { ending: 'json', type: 'application/json' },
  'JSON Lines': { ending: 'jsonl', type: 'application/x-ndjson' },
  CSV: { ending: 'csv', type: 'text/csv' },
}

/** Rows that become one part of a file. */
const PART_ROWS = 10_000

/** Fetches the rest of a result and hands all of it to the browser as a file. */
export async function download(cursor: Cursor, format: FileFormat, name: string, onProgress: (rows: number) => void) {
  while (cursor.hasMore.value) {
    await cursor.more()
    onProgress(cursor.rows.length)
  }
  const parts: string[] = []
  const columns = format === 'CSV' ? columnsOf(cursor.rows) : []
  if (format === 'CSV') parts.push(`${columns.map(csvText).join(',')}\r\n`)
  for (let from = 0; from < cursor.rows.length; from += PART_ROWS) {
    const rows = cursor.rows.slice(from, from + PART_ROWS)
    if (format === 'CSV') parts.push(rows.map((row) => csvLine(row, columns)).join(''))
    else if (format === 'JSON Lines') parts.push(rows.map((row) => `${row}\n`).join(''))
    else parts.push((from === 0 ? '[\n' : ',\n') + rows.join(',\n'))
  }
  if (format === 'JSON') parts.push(cursor.rows.length === 0 ? '[]\n' : '\n]\n')
  const { ending, type } = FORMATS[format]
  saveFile(new Blob(parts, { type }), `${name}.${ending}`)
}

/** Hands a file to the browser. */
export function saveFile(file: Blob, name: string) {
  const anchor = document.createElement('a')
  anchor.href = URL.createObjectURL(file)
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000)
}

/** Returns the attributes of rows in the order of their first appearance; `value` for rows that are no objects. */
export function columnsOf(rows: string[]): string[] {
  const found = new Set<string>()
  for (const row of rows) {
    if (row.startsWith('{')) for (const [name] of attributes(row)) found.add(name)
    else found.add('value')
  }
  return [...found]
}

/** Returns a row as a line of CSV by RFC 4180. Text is plain, `null` empty, and the rest JSON. */
export function csvLine(row: string, columns: string[]): string {
  const values = row.startsWith('{') ? new Map(attributes(row)) : new Map([['value', row.slice(0, skipValue(row, 0))]])
  const cells = columns.map((column) => {
    const json = values.get(column)
    if (json === undefined || json === 'null') return ''
    return csvText(json.startsWith('"') ? (JSON.parse(json) as string) : json)
  })
  return `${cells.join(',')}\r\n`
}

function csvText(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
