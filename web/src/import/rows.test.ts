import { describe, expect, it } from 'vitest'
import { cells, documentOf, kindOf, linesOf, pieces } from './rows'

async function* parts(...texts: string[]) {
  yield* texts
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of values) found.push(value)
  return found
}

describe('files with documents', () => {
  it('are told apart', () => {
    expect([kindOf('a.CSV', ''), kindOf('a.json', ' [{'), kindOf('a.json', '{}\n{}')]).toEqual(['csv', 'array', 'lines'])
  })

  it('are divided into lines wherever their parts end', async () => {
    expect(await all(linesOf(parts('{"a":1}\r\n{"b"', ':2}\n\n{}'), false))).toEqual(['{"a":1}', '{"b":2}', '', '{}'])
    expect(await all(linesOf(parts('a,"b\nc"\nd', ',e'), true))).toEqual(['a,"b\nc"', 'd,e'])
  })

  it('have cells with quotes, commas and nothing', () => {
    expect(cells('a,"b ""c"", d",,e')).toEqual(['a', 'b "c", d', '', 'e'])
    expect(cells('"a"')).toEqual(['a'])
    expect(cells('a,')).toEqual(['a', ''])
    expect(cells('"a",')).toEqual(['a', ''])
    expect(cells('')).toEqual([''])
  })

  it('become documents whose numbers keep their digits', async () => {
    expect(documentOf(['_key', 'n', 'zip', 'x'], 'k,9007199254740993,00123,')).toBe('{"_key":"k","n":9007199254740993,"zip":"00123"}')
    expect(await all(pieces(parts('a,b\n1,true\n\nx,"y\nz"\n'), 'csv'))).toEqual(['{"a":1,"b":true}\n{"a":"x","b":"y\\nz"}\n'])
    expect(await all(pieces(parts('{}\n{}'), 'lines'))).toEqual(['{}\n{}\n'])
  })
})
