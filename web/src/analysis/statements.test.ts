import { expect, it } from 'vitest'
import type { Algorithm } from './algorithm'
import { firstAndDrawn, firstRows } from './statements'

const algorithm = (columns: string[], byVertex: boolean): Algorithm => ({ name: '', about: '', definition: '', parameters: [], columns, byVertex })

it('sorts by the first column with a number', () => {
  expect(firstRows(algorithm(['rank'], true))).toContain('SORT row.rank DESC')
  expect(firstRows(algorithm(['source', 'distance'], false))).toContain('SORT FIRST([row.source, row.distance][* FILTER IS_NUMBER(CURRENT)]) DESC')
  expect(firstAndDrawn(algorithm(['rank'], true))).toContain('SORT row.vertex IN @drawn DESC, row.rank DESC')
})
