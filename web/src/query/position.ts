/** The places of errors in a query. */
import type { Diagnostic } from '@codemirror/lint'
import { Failure } from '../lib/api'

/** Returns the offset of a line and a column, both counted from 1. Columns count characters. */
export function offset(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const within = [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length
  return Math.min(text.length, before + within)
}

/** Returns the error as a mark in the query: where the server says, or at the name that it names. */
export function marks(error: unknown, query: string): Diagnostic[] {
  if (!(error instanceof Failure)) return []
  const mark = (from: number, to: number): Diagnostic[] => [{ from, to: Math.max(to, from + 1), severity: 'error', message: error.message }]
  if (error.position) {
    const from = offset(query, error.position.line, error.position.column)
    const word = /^[\w@]+|^\S/.exec(query.slice(from))?.[0] ?? ''
    return mark(Math.min(from, Math.max(0, query.length - 1)), from + word.length)
  }
  const name = nameIn(error.message)
  const from = name ? query.indexOf(name) : -1
  return name && from >= 0 ? mark(from, from + name.length) : []
}

/** Returns the collection, function or parameter that a message is about. */
function nameIn(message: string): string | undefined {
  const parameter = /bind parameter '(@?\w+)'/.exec(message)?.[1]
  if (parameter) return `@${parameter}`
  return /not found: (\S+)$/.exec(message)?.[1] ?? /function '([\w:]+)\(/.exec(message)?.[1]
}
