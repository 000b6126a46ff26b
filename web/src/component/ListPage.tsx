/** A page with a list of objects of one kind: its head, its table, and the dialog that creates one. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Boundary } from './Boundary'
import { ErrorMessage } from './Message'
import { PageHead } from './PageHead'
import { SortedTable } from './SortedTable'
import type { Column } from './Table'

interface Properties<Row> {
  title: string
  /** The rows, once they are loaded. */
  rows: Row[] | undefined
  error: unknown
  onReload: () => void
  columns: Column<Row>[]
  /** The text in place of an empty table. */
  empty: string
  onOpen?: (row: Row) => void
  /** The title of the button that creates an object, and its dialog; absent without the right. */
  create?: { title: string; dialog: (onClose: () => void) => ComponentChildren }
  /** Fields beside the title. */
  fields?: ComponentChildren
  /** What stands between the head and the table. */
  above?: ComponentChildren
  /** Other dialogs. */
  children?: ComponentChildren
}

export function ListPage<Row>({ title, rows, error, onReload, columns, empty, onOpen, create, fields, above, children }: Properties<Row>) {
  const [isCreating, setCreating] = useState(false)
  return (
    <div class="page">
      <PageHead title={title}>
        {fields}
        <span class="spring" />
        <button type="button" class="button" onClick={onReload}>
          Refresh
        </button>
        {create && (
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            {create.title}
          </button>
        )}
      </PageHead>
      <ErrorMessage error={error} />
      {above && <Boundary title="This part">{above}</Boundary>}
      <div class="card fill">
        <Boundary of={rows} title="The table">{rows?.length === 0 ? <p class="empty">{empty}</p> : <SortedTable label={title} columns={columns} rows={rows ?? []} onOpen={onOpen} />}</Boundary>
      </div>
      {isCreating && create?.dialog(() => setCreating(false))}
      {children}
    </div>
  )
}

/** Returns a column with a button for those rows that `nameOf` gives a name. */
export function actionColumn<Row>(verb: string, nameOf: (row: Row) => string | undefined, onAct: (row: Row) => void): Column<Row> {
  const cell = (row: Row) => {
    const name = nameOf(row)
    return (
      name !== undefined && (
        <button type="button" class="button" aria-label={`${verb} ${name}`} onClick={() => onAct(row)}>
          {verb}
        </button>
      )
    )
  }
  return { title: 'Actions', width: 104, cell }
}
