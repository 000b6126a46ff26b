/** A table whose rows are all there, sorted by a click on a column's title. */
import { useMemo, useState } from 'preact/hooks'
import { type Column, Table } from './Table'

interface Properties<Row> {
  label: string
  rows: Row[]
  columns: Column<Row>[]
  onOpen?: (row: Row) => void
}

export function SortedTable<Row>({ label, rows, columns, onOpen }: Properties<Row>) {
  const [sorted, setSorted] = useState({ column: '', isDescending: false })
  const ordered = useMemo(() => {
    const by = columns.find((column) => column.title === sorted.column)?.sort
    if (!by) return rows
    const sign = sorted.isDescending ? -1 : 1
    return [...rows].sort((left, right) => sign * compare(by(left), by(right)))
  }, [rows, sorted])
  const onSort = (column: string) => setSorted({ column, isDescending: column === sorted.column && !sorted.isDescending })
  return (
    <Table
      label={label}
      columns={columns}
      count={ordered.length}
      row={(index) => ordered[index] as Row}
      sorted={sorted}
      onSort={onSort}
      onOpen={onOpen}
    />
  )
}

function compare(left: string | number, right: string | number): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left).localeCompare(String(right), 'en', { numeric: true })
}
