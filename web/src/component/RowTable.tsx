/** Rows of any shape as a table: a column for each attribute. */
import { useMemo } from 'preact/hooks'
import { link } from '../lib/address'
import { attributes } from '../lib/json'
import { columnsOf } from '../query/download'
import { arranged } from './arrangement'
import { choicesOf, widen } from './columnChoices'
import { ColumnMenu } from './ColumnMenu'
import { type Column, Table } from './Table'

interface Properties {
  /** The text of each row. */
  rows: string[]
  count: number
  onEnd?: () => void
  onOpen: (row: string, index: number) => void
  /** The name of the table, by which it keeps the choices of its columns. */
  table: string
  sorted?: { column: string; isDescending: boolean }
  onSort?: (column: string) => void
  /** Rows to choose from, by a box at each. */
  choice?: Choice
}

export interface Choice {
  has: (row: string) => boolean
  toggle: (row: string) => void
}

/** Rows whose attributes become columns, and the most columns. */
const SAMPLE_ROWS = 200
const MAX_COLUMNS = 100

export function RowTable({ rows, count, onEnd, onOpen, table, sorted, onSort, choice }: Properties) {
  const names = useMemo(() => columnsOf(rows.slice(0, SAMPLE_ROWS)).slice(0, MAX_COLUMNS), [rows, Math.min(count, SAMPLE_ROWS)])
  const own = useMemo(() => {
    const numbered: Column<Map<string, string>> = { title: '#', width: 64, isNumber: true, cell: (_, index) => <RowNumber index={index} onOpen={() => onOpen(rows[index] ?? '', index)} /> }
    return [numbered, ...names.map((title) => ({ title, sort: () => '', cell: (row: Map<string, string>) => <Cell json={row.get(title)} name={title} /> }))]
  }, [rows, names])
  const box: Column<Map<string, string>> = { title: 'Select', width: 80, cell: (_, index) => <Box row={rows[index] ?? ''} index={index} choice={choice} /> }
  const choices = choicesOf(table)
  // The columns without an attribute are frozen together with the others.
  const fixed = choice ? [box, ...own.slice(0, 1)] : own.slice(0, 1)
  const hasFrozen = choices.frozen.length > 0
  const columns = [...fixed.map((column) => ({ ...column, isFrozen: hasFrozen })), ...arranged(own.slice(1), choices)]
  return (
    <>
      <div class="table-bar">
        <ColumnMenu table={table} titles={names} />
      </div>
      <Table
        label="Rows"
        columns={columns}
        count={count}
        row={(index) => attributesOf(rows[index] ?? '')}
        onEnd={onEnd}
        onOpen={(_, index) => onOpen(rows[index] ?? '', index)}
        sorted={sorted}
        onSort={onSort}
        onWiden={(title, pixels) => widen(table, title, pixels)}
      />
    </>
  )
}

function Box({ row, index, choice }: { row: string; index: number; choice: Choice | undefined }) {
  return <input type="checkbox" class="choose" aria-label={`Select row ${index + 1}`} checked={choice?.has(row)} onChange={() => choice?.toggle(row)} />
}

/** The number of a row, which opens it: the way in for the keyboard. */
function RowNumber({ index, onOpen }: { index: number; onOpen: () => void }) {
  return (
    <button type="button" class="row-number" aria-label={`Open row ${index + 1}`} onClick={onOpen}>
      {index + 1}
    </button>
  )
}

function attributesOf(row: string): Map<string, string> {
  return new Map(row.startsWith('{') ? attributes(row) : [['value', row]])
}

/** The characters of a long value that a cell has. */
const MAX_CHARACTERS = 200

/** Returns the beginning of a text in JSON, which may be long. */
function beginning(json: string): string {
  if (json.length <= MAX_CHARACTERS) return JSON.parse(json) as string
  // The cut must not divide an escape sequence.
  const cut = json.slice(0, MAX_CHARACTERS).replace(/\\(u[\da-f]{0,3})?$/i, '')
  const whole = /(^|[^\\])(\\\\)*$/.test(cut) ? cut : cut.slice(0, -1)
  return `${JSON.parse(`${whole}"`) as string}…`
}

function Cell({ json, name }: { json: string | undefined; name: string }) {
  if (json === undefined) return null
  if (json === 'null') return <span class="cell-null">null</span>
  if (json.startsWith('"')) {
    const text = beginning(json)
    const id = /^(_id|_from|_to)$/.test(name) && /^[^/]+\/[^/]+$/.test(text)
    if (!id) return <>{text}</>
    const [collection = '', key = ''] = text.split('/')
    return <a href={link(['collection', collection, 'documents', key])}>{text}</a>
  }
  if (/^[[{]/.test(json)) return <span class="cell-json">{json.slice(0, MAX_CHARACTERS)}</span>
  return <span class="cell-number">{json}</span>
}
