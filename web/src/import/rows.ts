/** Files with documents, as pieces of JSON Lines for the server's import. */
import { members } from '../lib/json'
import { type Column, documentOf } from './columns'
import { CsvReader, type Dialect } from './csv'

/** The characters of a piece. */
const PIECE_CHARACTERS = 1_000_000

export type FileKind = 'lines' | 'array' | 'csv'

/** Documents with the lines of the file that they begin in; of an array, with their numbers. */
export interface Piece {
  text: string
  lines: number[]
}

/** How a file of CSV is read. */
export interface CsvPlan {
  dialect: Dialect
  columns: Column[]
}

/** Called with the line of each document that is not sent. */
type OnRefused = (line: number, reason: string) => void

/** Returns the kind of a file by its name and its first characters. */
export function kindOf(name: string, beginning: string): FileKind {
  if (/\.(csv|tsv)$/i.test(name)) return 'csv'
  return beginning.trimStart().startsWith('[') ? 'array' : 'lines'
}

/** Yields the lines of a text that comes in parts, with their numbers, whatever ends them. */
export async function* linesOf(parts: AsyncIterable<string>): AsyncGenerator<[string, number]> {
  let rest = ''
  let number = 1
  for await (const part of parts) {
    rest += part
    // The second character of a line end may be in the next part.
    const isDivided = rest.endsWith('\r')
    const lines = (isDivided ? rest.slice(0, -1) : rest).split(/\r\n|\n|\r/)
    rest = `${lines.pop() ?? ''}${isDivided ? '\r' : ''}`
    for (const line of lines) yield [line, number++]
  }
  for (const line of rest.split(/\r\n|\n|\r/)) if (line !== '') yield [line, number++]
}

/** Yields the rows of CSV, each as a document, without the first one, which names the columns. */
async function* documentsOf(parts: AsyncIterable<string>, { dialect, columns }: CsvPlan, onRefused: OnRefused): AsyncGenerator<[string, number]> {
  const reader = new CsvReader(dialect)
  let isFirst = true
  const documents = function* (rows: ReturnType<CsvReader['push']>): Generator<[string, number]> {
    for (const row of rows) {
      if (isFirst) {
        isFirst = false
        continue
      }
      const made = documentOf(columns, row)
      if ('json' in made) yield [made.json, row.line]
      else onRefused(row.line, made.wrong)
    }
  }
  for await (const part of parts) yield* documents(reader.push(part))
  yield* documents(reader.end())
}

/** Yields the elements of an array with their numbers. An array is in memory as a whole. */
async function* elementsOf(parts: AsyncIterable<string>): AsyncGenerator<[string, number]> {
  let text = ''
  for await (const part of parts) text += part
  for (const [at, one] of members(text.trim()).entries()) yield [one.replaceAll(/[\r\n]+/g, ' '), at + 1]
}

/** Returns what is wrong with a document; an empty text if nothing is. */
function mistake(document: string): string {
  try {
    const value: unknown = JSON.parse(document)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? '' : 'it is not a JSON object'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Yields pieces of JSON Lines of a file. Each line is an object, so that the server counts as this page does. */
export async function* pieces(parts: AsyncIterable<string>, kind: 'lines' | 'array' | CsvPlan, onRefused: OnRefused): AsyncGenerator<Piece> {
  let piece: Piece = { text: '', lines: [] }
  const documents = kind === 'lines' ? linesOf(parts) : kind === 'array' ? elementsOf(parts) : documentsOf(parts, kind, onRefused)
  for await (const [document, line] of documents) {
    if (document.trim() === '') continue
    const wrong = typeof kind === 'string' ? mistake(document) : ''
    if (wrong) {
      onRefused(line, wrong)
      continue
    }
    piece.text += `${document}\n`
    piece.lines.push(line)
    if (piece.text.length < PIECE_CHARACTERS) continue
    yield piece
    piece = { text: '', lines: [] }
  }
  if (piece.text !== '') yield piece
}
