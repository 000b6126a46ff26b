/** Columns of CSV, and the documents that their rows become. */
import type { Cell, CsvRow } from './csv'

export const TYPES = ['automatic', 'text', 'number', 'boolean', 'JSON', 'left out'] as const
export type ColumnType = (typeof TYPES)[number]

export interface Column {
  name: string
  type: ColumnType
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Returns the columns of a first row. Blanks around a name do not belong to it. */
export function columnsOf(row: CsvRow): Column[] {
  return row.cells.map(({ text }) => ({ name: text.trim(), type: 'automatic' }))
}

/** Returns what is wrong with columns; an empty text if nothing is. */
export function mistake(columns: Column[]): string {
  const names = columns.filter((one) => one.type !== 'left out').map((one) => one.name)
  if (names.includes('')) return 'A column has no name in the first line. Leave it out, or give it a name.'
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? '' : `Two columns have the name "${twice}".`
}

/** Returns a row as a document in JSON. Errors: a text that says what is wrong with the row. */
export function documentOf(columns: Column[], { cells, isOpen }: CsvRow): { json: string } | { wrong: string } {
  if (isOpen) return { wrong: 'a quote is not closed' }
  if (cells.length > columns.length) return { wrong: `it has ${cells.length} values for ${columns.length} columns` }
  const filled: string[] = []
  for (const [at, column] of columns.entries()) {
    const cell = cells[at]
    // Empty cells are attributes that a document lacks.
    if (!cell || column.type === 'left out' || (cell.text === '' && !cell.isQuoted)) continue
    const value = valueOf(cell, column.type)
    if (value === undefined) return { wrong: `"${cell.text.slice(0, 40)}" in column ${column.name} is not of type ${column.type}` }
    filled.push(`${JSON.stringify(column.name)}:${value}`)
  }
  return { json: `{${filled.join(',')}}` }
}

/** Returns a cell as JSON. Numbers keep their digits. */
function valueOf({ text, isQuoted }: Cell, type: ColumnType): string | undefined {
  const trimmed = text.trim()
  switch (type) {
    case 'number':
      return NUMBER.test(trimmed) ? trimmed : undefined
    case 'boolean':
      return /^(true|false)$/i.test(trimmed) ? trimmed.toLowerCase() : undefined
    case 'JSON':
      return isJson(trimmed) ? trimmed : undefined
    case 'automatic':
      return !isQuoted && (NUMBER.test(text) || /^(true|false|null)$/.test(text)) ? text : JSON.stringify(text)
    default:
      return JSON.stringify(text)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
