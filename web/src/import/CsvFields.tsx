/** How a file of CSV is read, with the first documents that it becomes. */
import { useEffect, useMemo } from 'preact/hooks'
import { Field } from '../component/Field'
import { Select } from '../component/Select'
import { type Column, type ColumnType, columnsOf, documentOf, mistake, TYPES } from './columns'
import { CsvReader, type Dialect, QUOTES, SEPARATORS } from './csv'

/** Rows of the preview. */
const ROWS = 5

interface Properties {
  /** The first characters of the file. */
  beginning: string
  dialect: Dialect
  columns: Column[]
  onDialect: (dialect: Dialect) => void
  onColumns: (columns: Column[]) => void
}

export function CsvFields({ beginning, dialect, columns, onDialect, onColumns }: Properties) {
  const [header, ...rows] = useMemo(() => new CsvReader(dialect).push(`${beginning}\n`).slice(0, ROWS + 1), [beginning, dialect])
  useEffect(() => onColumns(header ? columnsOf(header) : []), [header])
  const wrong = mistake(columns)
  const setType = (at: number, type: ColumnType) => onColumns(columns.map((one, index) => (index === at ? { ...one, type } : one)))
  return (
    <>
      <div class="form-row">
        <Field title="Separator">
          <Select value={dialect.separator} options={SEPARATORS} onChange={(separator) => onDialect({ ...dialect, separator })} />
        </Field>
        <Field title="Quote">
          <Select value={dialect.quote} options={QUOTES} onChange={(quote) => onDialect({ ...dialect, quote })} />
        </Field>
      </div>
      <div class="preview" tabIndex={0} role="region" aria-label="Preview">
        <table aria-label="First rows of the file">
          <thead>
            <tr>
              {columns.map((column, at) => (
                <th key={at} scope="col">
                  {column.name || 'no name'}
                  <Select label={`Type of ${column.name}`} value={column.type} options={TYPES} onChange={(type) => setType(at, type)} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const made = documentOf(columns, row)
              return (
                <tr key={row.line} class={'wrong' in made ? 'is-refused' : undefined} title={'wrong' in made ? made.wrong : made.json.slice(0, 1000)}>
                  {row.cells.map((cell, at) => (
                    <td key={at}>{columns[at]?.type === 'left out' ? '' : cell.text.slice(0, 100)}</td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <small class="muted" role="status">
        {wrong || 'Automatic: numbers, true, false and null without quotes are such values; the rest is text. Empty cells are left out.'}
      </small>
    </>
  )
}
