/** Comma-separated values, as RFC 4180 has them, with other separators and quotes and all ends of lines. */

export interface Dialect {
  separator: string
  /** The quote; an empty text for none. */
  quote: string
}

export interface Cell {
  text: string
  isQuoted: boolean
}

export interface CsvRow {
  cells: Cell[]
  /** The line of the file that it begins in, counted from 1. */
  line: number
  /** True if the file ends within a quoted cell. */
  isOpen?: boolean
}

/** Reads rows from a text that comes in parts. Rows without anything are left out. */
export class CsvReader {
  private cells: Cell[] = []
  private text = ''
  private isQuoted = false
  private state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  private wasReturn = false
  private line = 1
  private begin = 1
  private rows: CsvRow[] = []

  constructor(private readonly dialect: Dialect) {}

  /** Returns the rows that a further part completes. */
  push(part: string): CsvRow[] {
    for (let at = 0; at < part.length; at += 1) {
      if (this.state === 'quoted') at = this.within(part, at)
      else this.outside(part.charAt(at))
    }
    return this.taken()
  }

  /** Returns the last row, if no line end follows it. */
  end(): CsvRow[] {
    const isOpen = this.state === 'quoted'
    if (isOpen || this.state !== 'start' || this.cells.length > 0) this.endRow(isOpen)
    return this.taken()
  }

  /** Reads what is within quotes, and returns the position of its last character. */
  private within(part: string, from: number): number {
    const found = part.indexOf(this.dialect.quote, from)
    const end = found < 0 ? part.length : found
    const text = part.slice(from, end)
    this.text += text
    this.countLines(text)
    if (found >= 0) {
      this.state = 'closed'
      this.wasReturn = false
    }
    return end
  }

  private outside(character: string) {
    const { separator, quote } = this.dialect
    const isSecond = this.wasReturn && character === '\n'
    this.wasReturn = character === '\r'
    // Both characters of a line end are one.
    if (isSecond) return
    if (character === separator) this.endCell()
    else if (character === '\n' || character === '\r') this.endRow(false)
    else if (character === quote && this.state === 'start') {
      this.state = 'quoted'
      this.isQuoted = true
    } else if (character === quote && this.state === 'closed') {
      this.text += quote
      this.state = 'quoted'
    } else if (this.state !== 'closed' || !' \t'.includes(character)) {
      this.text += character
      this.state = 'plain'
    }
  }

  private endCell() {
    this.cells.push({ text: this.text, isQuoted: this.isQuoted })
    this.text = ''
    this.isQuoted = false
    this.state = 'start'
  }

  private endRow(isOpen: boolean) {
    this.endCell()
    const [first] = this.cells
    const isEmpty = this.cells.length === 1 && first?.text.trim() === '' && !first.isQuoted
    if (!isEmpty) this.rows.push({ cells: this.cells, line: this.begin, ...(isOpen ? { isOpen } : {}) })
    this.cells = []
    this.line += 1
    this.begin = this.line
  }

  private countLines(text: string) {
    const isSecond = this.wasReturn && text.startsWith('\n')
    this.line += text.split(/\r\n|\n|\r/).length - 1 - Number(isSecond)
    if (text !== '') this.wasReturn = text.endsWith('\r')
  }

  private taken(): CsvRow[] {
    const rows = this.rows
    this.rows = []
    return rows
  }
}

export const SEPARATORS: [string, string][] = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
]

export const QUOTES: [string, string][] = [
  ['"', 'double "'],
  ["'", "single '"],
  ['', 'none'],
]

/** Returns the separator that the first line has most of. */
export function guessSeparator(name: string, beginning: string): string {
  if (/\.tsv$/i.test(name)) return '\t'
  const [line = ''] = beginning.split(/[\r\n]/)
  const counts = SEPARATORS.map(([separator]) => [separator, line.split(separator).length] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}
