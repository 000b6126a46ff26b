import { expect, it } from 'vitest'
import { ordered } from './order'

it('sorts values as AQL does', () => {
  const values = ['"b"', '10', 'true', undefined, '9', '{}', '[1]', '"A"', 'false', 'null']
  expect(ordered(values, false).map((at) => values[at])).toEqual([undefined, 'null', 'false', 'true', '9', '10', '"A"', '"b"', '[1]', '{}'])
  expect(ordered(['1', '2', '1'], true)).toEqual([1, 0, 2])
})
