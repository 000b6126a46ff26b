/** A table of any length, of which only the visible rows are in the page. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { attempt } from './Boundary'
import { WidthHandle } from './WidthHandle'
import { windowAt } from './window'

export interface Column<Row> {
  title: string
  /** Width in pixels; the rest of the width without it. */
  width?: number
  isNumber?: boolean
  /** True for a column that stays at the left; it needs a width. */
  isFrozen?: boolean
  cell: (row: Row, index: number) => ComponentChildren
  /** A value to sort by. */
  sort?: (row: Row) => string | number
}

interface Properties<Row> {
  label: string
  columns: Column<Row>[]
  count: number
  row: (index: number) => Row
  /** Called when the end comes near. */
  onEnd?: () => void
  onOpen?: (row: Row, index: number) => void
  sorted?: { column: string; isDescending: boolean }
  onSort?: (column: string) => void
  /** Called with the width that the user gives a column. */
  onWiden?: (column: string, pixels: number) => void
}

/** The height of a row in pixels, as in the style sheet. */
const ROW_PIXELS = 32
/** Rows before the end at which further ones are asked for. */
const SPARE_ROWS = 12

export function Table<Row>({ label, columns, count, row, onEnd, onOpen, sorted, onSort, onWiden }: Properties<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const look = () => {
    const element = scroller.current
    if (element) setView({ top: element.scrollTop, height: element.clientHeight })
  }
  useEffect(() => {
    look()
    const observer = new ResizeObserver(look)
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [])

  const { first, end, above, below } = windowAt(view.top, view.height, count, ROW_PIXELS)
  useEffect(() => {
    if (end >= count - SPARE_ROWS) onEnd?.()
  }, [end, count])

  const frozen = frozenStyles(columns)
  const width = columns.reduce((sum, column) => sum + (column.width ?? 180), 0)
  const indexes = Array.from({ length: end - first }, (_, offset) => first + offset)
  return (
    <div class="table-box" ref={scroller} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <table class="table" style={{ minWidth: `${width}px` }} aria-rowcount={count + 1}>
        <colgroup>
          {columns.map((column) => (
            <col key={column.title} style={column.width ? { width: `${column.width}px` } : {}} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <Header key={column.title} column={column} style={frozen[at]} sorted={sorted} onSort={onSort} onWiden={onWiden} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap pixels={above} columns={columns.length} />
          {indexes.map((index) => {
            const one = row(index)
            return (
              <tr key={index} aria-rowindex={index + 2} class={onOpen && 'can-open'} onClick={(event) => onOpen && !isControl(event) && onOpen(one, index)}>
                {columns.map((column, at) => (
                  <td key={column.title} class={classOf(column)} style={frozen[at]}>
                    {attempt(() => column.cell(one, index))}
                  </td>
                ))}
              </tr>
            )
          })}
          <Gap pixels={below} columns={columns.length} />
        </tbody>
      </table>
    </div>
  )
}

/** Returns the places of frozen columns: each stands at the right of those before it. */
function frozenStyles<Row>(columns: Column<Row>[]): ({ left: string } | undefined)[] {
  let left = 0
  return columns.map((column) => {
    if (!column.isFrozen) return undefined
    const style = { left: `${left}px` }
    left += column.width ?? 0
    return style
  })
}

const classOf = <Row,>({ isNumber, isFrozen }: Column<Row>) => [isNumber && 'is-number', isFrozen && 'is-frozen'].filter(Boolean).join(' ') || undefined

/** Returns true for a click on something in the row that has an action of its own. */
function isControl(event: Event): boolean {
  return event.target instanceof Element && event.target.closest('a, button, input') !== null
}

function Gap({ pixels, columns }: { pixels: number; columns: number }) {
  if (pixels <= 0) return null
  return (
    <tr aria-hidden="true" class="gap">
      <td colSpan={columns} style={{ height: `${pixels}px` }} />
    </tr>
  )
}

function Header<Row>({ column, style, sorted, onSort, onWiden }: { column: Column<Row>; style?: { left: string } } & Pick<Properties<Row>, 'sorted' | 'onSort' | 'onWiden'>) {
  const isSorted = sorted?.column === column.title
  const order = isSorted ? (sorted.isDescending ? 'descending' : 'ascending') : undefined
  return (
    <th scope="col" class={classOf(column)} style={style} aria-sort={order} title={column.title}>
      {onSort && column.sort ? (
        <button type="button" class="sort" onClick={() => onSort(column.title)}>
          {column.title}
          <span aria-hidden="true">{isSorted ? (sorted.isDescending ? ' ↓' : ' ↑') : ''}</span>
        </button>
      ) : (
        column.title
      )}
      {onWiden && <WidthHandle title={column.title} onWiden={(pixels) => onWiden(column.title, pixels)} />}
    </th>
  )
}
