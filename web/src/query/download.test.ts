import { describe, expect, it } from 'vitest'
import { columnsOf, csvLine } from './download'

describe('CSV', () => {
  it('has a column for each attribute', () => {
    expect(columnsOf(['{"a":1}', '{"b":2,"a":3}', '7'])).toEqual(['a', 'b', 'value'])
  })

  it('quotes what needs it and keeps every digit', () => {
    const row = '{"a":"x,\\"y\\"","b":12345678901234567890,"c":null,"d":{"e":[1,2]}}'
    expect(csvLine(row, ['a', 'b', 'c', 'd', 'f'])).toBe('"x,""y""",12345678901234567890,,"{""e"":[1,2]}",\r\n')
    expect(csvLine('true', ['a', 'value'])).toBe(',true\r\n')
  })
})
