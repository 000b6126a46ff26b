/** The arrangement of columns: hidden, frozen at the left, and wider. */
import type { Column } from './Table'

export interface Choices {
  hidden: string[]
  frozen: string[]
  /** Pixels by the titles of columns. */
  widths: Record<string, number>
}

/** The width of a column that nobody chose one for. */
export const WIDTH = 180

/** Returns a list with or without a name. */
export const toggled = (names: string[], name: string) => (names.includes(name) ? names.filter((one) => one !== name) : [...names, name])

/** Returns the columns that are shown: frozen ones first, each with its width. */
export function arranged<Row>(columns: Column<Row>[], { hidden, frozen, widths }: Choices): Column<Row>[] {
  const shown = columns.filter((column) => !hidden.includes(column.title))
  const isFrozen = (column: Column<Row>) => frozen.includes(column.title)
  const hasFrozen = shown.some(isFrozen)
  const wide = (column: Column<Row>): Column<Row> => {
    const width = widths[column.title] ?? column.width
    return isFrozen(column) ? { ...column, width: width ?? WIDTH, isFrozen: true } : { ...column, width: width ?? (hasFrozen ? WIDTH : undefined) }
  }
  return [...shown.filter(isFrozen), ...shown.filter((column) => !isFrozen(column))].map(wide)
}
