import { describe, expect, it } from 'vitest'
import { columnsOf, type ColumnType, documentOf, mistake } from './columns'
import { CsvReader, type Dialect, guessSeparator } from './csv'
import { type CsvPlan, kindOf, linesOf, pieces } from './rows'

const COMMA: Dialect = { separator: ',', quote: '"' }

async function* parts(...texts: string[]) {
  yield* texts
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of values) found.push(value)
  return found
}

/** Returns the texts of the cells of rows with their lines, however the text is divided. */
function rowsOf(text: string, dialect = COMMA) {
  const read = (size: number) => {
    const reader = new CsvReader(dialect)
    const rows = []
    for (let at = 0; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)))
    return [...rows, ...reader.end()].map((row) => [row.line, ...row.cells.map((cell) => cell.text)])
  }
  expect(read(1)).toEqual(read(text.length || 1))
  return read(3)
}

describe('files with documents', () => {
  it('are told apart', () => {
    expect([kindOf('a.CSV', ''), kindOf('a.tsv', ''), kindOf('a.json', ' [{'), kindOf('a.json', '{}\n{}')]).toEqual(['csv', 'csv', 'array', 'lines'])
    expect([guessSeparator('a.csv', 'a;b;c\n1,2;3;4'), guessSeparator('a.csv', 'a'), guessSeparator('a.tsv', 'a,b')]).toEqual([';', ',', '\t'])
  })

  it('are divided into lines wherever their parts and lines end', async () => {
    expect(await all(linesOf(parts('{"a":1}\r', '\n{"b"', ':2}\r{}\n\n{}')))).toEqual([['{"a":1}', 1], ['{"b":2}', 2], ['{}', 3], ['', 4], ['{}', 5]])
  })

  it('have cells with quotes, separators and nothing', () => {
    expect(rowsOf('a,"b ""c"", d",,e')).toEqual([[1, 'a', 'b "c", d', '', 'e']])
    expect(rowsOf('"a"')).toEqual([[1, 'a']])
    expect(rowsOf('a,\n"a",')).toEqual([[1, 'a', ''], [2, 'a', '']])
    expect(rowsOf('')).toEqual([])
    expect(rowsOf('a,"b\r\nc"  ,d\r\n\r\ne\rf,"g\rh"\ni')).toEqual([[1, 'a', 'b\r\nc', 'd'], [4, 'e'], [5, 'f', 'g\rh'], [7, 'i']])
    expect(rowsOf("a;'b;\"c'", { separator: ';', quote: "'" })).toEqual([[1, 'a', 'b;"c']])
    expect(rowsOf('a\t"b"', { separator: '\t', quote: '' })).toEqual([[1, 'a', '"b"']])
  })

  it('become documents whose numbers keep their digits', () => {
    const [header, row] = new CsvReader(COMMA).push('_key, n ,zip,x,quoted\nk,9007199254740993,00123,,"5"\n')
    if (!header || !row) throw new Error('no rows')
    const columns = columnsOf(header)
    expect(documentOf(columns, row)).toEqual({ json: '{"_key":"k","n":9007199254740993,"zip":"00123","quoted":"5"}' })
    const types: ColumnType[] = ['text', 'text', 'left out', 'number', 'JSON']
    const typed = columns.map((column, at) => ({ ...column, type: types[at] ?? 'text' }))
    expect(documentOf(typed, row)).toEqual({ json: '{"_key":"k","n":"9007199254740993","quoted":5}' })
    expect(mistake(columns)).toBe('')
    expect(mistake([...columns, { name: 'n', type: 'text' }])).toContain('"n"')
  })

  it('are sent without the rows that cannot be documents, with the lines of the others', async () => {
    const refused: [number, string][] = []
    const plan: CsvPlan = { dialect: COMMA, columns: [{ name: 'a', type: 'number' }, { name: 'b', type: 'automatic' }] }
    const refuse = (...one: [number, string]) => void refused.push(one)
    const text = 'a,b\n1,true\n\nx,2\n3,"y\nz"\n4,5,6\n7,"open'
    expect(await all(pieces(parts(text), plan, refuse))).toEqual([{ text: '{"a":1,"b":true}\n{"a":3,"b":"y\\nz"}\n', lines: [2, 5] }])
    expect(refused).toEqual([[4, '"x" in column a is not of type number'], [7, 'it has 3 values for 2 columns'], [8, 'a quote is not closed']])
    refused.length = 0
    expect(await all(pieces(parts('{}\n\nno\n[1]\n{}'), 'lines', refuse))).toEqual([{ text: '{}\n{}\n', lines: [1, 5] }])
    expect(await all(pieces(parts('[{"a":\n1},', '2, {}]'), 'array', refuse))).toEqual([{ text: '{"a": 1}\n{}\n', lines: [1, 3] }])
    expect(refused.map(([line]) => line)).toEqual([3, 4, 2])
  })
})
