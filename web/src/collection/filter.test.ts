import { expect, it } from 'vitest'
import { queryOf } from './filter'

it('makes a query of filters', () => {
  const filters = [
    { attribute: 'address.city', operator: '==', value: 'Bonn' },
    { attribute: '', operator: '==', value: '' },
    { attribute: 'n', operator: '>', value: '5' },
  ] as const
  expect(queryOf('docs', [...filters], { attribute: 'n', isDescending: true })).toEqual({
    query: 'FOR d IN @@collection\n  FILTER d.`address`.`city` == @value0\n  FILTER d.`n` > @value1\n  SORT d.`n` DESC\n  RETURN d',
    binds: { '@collection': 'docs', value0: 'Bonn', value1: 5 },
  })
})

it('lets no name end its quotes', () => {
  const { query } = queryOf('docs', [{ attribute: 'a` REMOVE d \\', operator: '==', value: '1' }])
  expect(query).toContain('d.`a\\` REMOVE d \\\\` ==')
})
