import { expect, it } from 'vitest'
import { arranged, toggled } from './arrangement'

const column = (title: string, width?: number) => ({ title, width, cell: () => title })

it('hides, freezes and widens columns', () => {
  const columns = [column('_key'), column('_id'), column('n', 50)]
  const shown = arranged(columns, { hidden: ['_id'], frozen: ['n'], widths: { _key: 300 } })
  expect(shown.map(({ title, width, isFrozen }) => [title, width, isFrozen])).toEqual([['n', 50, true], ['_key', 300, undefined]])
  expect(arranged(columns, { hidden: [], frozen: [], widths: {} }).map((one) => one.width)).toEqual([undefined, undefined, 50])
  expect(toggled(toggled([], 'a'), 'a')).toEqual([])
})
