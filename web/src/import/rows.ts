/** Files with documents, as pieces of JSON Lines for the server's import. */

/** The characters of a piece. */
const PIECE_CHARACTERS = 1_000_000

export type FileKind = 'lines' | 'array' | 'csv'

/** Returns the kind of a file by its name and its first characters. */
export function kindOf(name: string, beginning: string): FileKind {
  if (/\.csv$/i.test(name)) return 'csv'
  return beginning.trimStart().startsWith('[') ? 'array' : 'lines'
}

/** Yields the lines of a text that comes in parts. Line breaks within quotes belong to a line of CSV. */
export async function* linesOf(parts: AsyncIterable<string>, isCsv: boolean): AsyncGenerator<string> {
  let rest = ''
  for await (const part of parts) {
    rest += part
    let start = 0
    let isQuoted = false
    for (let at = 0; at < rest.length; at += 1) {
      const character = rest[at]
      if (isCsv && character === '"') isQuoted = !isQuoted
      if (character !== '\n' || isQuoted) continue
      yield rest.slice(start, at).replace(/\r$/, '')
      start = at + 1
    }
    rest = rest.slice(start)
  }
  if (rest !== '') yield rest.replace(/\r$/, '')
}

/** Returns the cells of a line of CSV by RFC 4180. */
export function cells(line: string): string[] {
  const found: string[] = []
  for (let at = 0; at <= line.length; ) {
    const quoted = /^"([^"]*(?:""[^"]*)*)"(?:,|$)/.exec(line.slice(at))
    if (quoted) {
      found.push((quoted[1] ?? '').replaceAll('""', '"'))
      at += quoted[0].length
      if (at === line.length && !quoted[0].endsWith(',')) return found
    } else {
      const end = line.indexOf(',', at)
      found.push(line.slice(at, end < 0 ? line.length : end))
      if (end < 0) return found
      at = end + 1
    }
  }
  return found
}

/** Returns a cell as JSON: numbers, `true`, `false` and `null` as such, the rest as text. */
function valueOf(cell: string): string {
  return /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(cell) ? cell : JSON.stringify(cell)
}

/** Returns a line of CSV as a document. Empty cells are left out. */
export function documentOf(names: string[], line: string): string {
  const values = cells(line)
  const filled = names.flatMap((name, at) => (values[at] ? [`${JSON.stringify(name)}:${valueOf(values[at])}`] : []))
  return `{${filled.join(',')}}`
}

/** Yields pieces of JSON Lines of a file of lines or of CSV. */
export async function* pieces(parts: AsyncIterable<string>, kind: 'lines' | 'csv'): AsyncGenerator<string> {
  let piece = ''
  let names: string[] | undefined
  for await (const line of linesOf(parts, kind === 'csv')) {
    if (line.trim() === '') continue
    if (kind === 'csv' && !names) {
      names = cells(line)
      continue
    }
    piece += `${names ? documentOf(names, line) : line}\n`
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
