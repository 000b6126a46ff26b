import { expect, it } from 'vitest'
import { change, type Edit, mistake, removal } from './bulk'

const edit = (attribute: string, value: string, isRemoved = false): Edit => ({ attribute, value, isRemoved })

it('makes queries by keys and by filters', () => {
  expect(removal('docs', { keys: ['a', 'b'] })).toEqual({ query: 'FOR key IN @keys\n  REMOVE key IN @@collection', binds: { '@collection': 'docs', keys: ['a', 'b'] } })
  expect(removal('docs', { filters: [{ attribute: 'n', operator: '>', value: '5' }] })).toEqual({
    query: 'FOR d IN @@collection\n  FILTER d.`n` > @value0\n  REMOVE d IN @@collection',
    binds: { '@collection': 'docs', value0: 5 },
  })
})

it('sets and removes attributes at their paths', () => {
  expect(change('docs', { keys: ['a'] }, [edit('address.city', 'Bonn'), edit('address.code', '7'), edit('old', '', true)])).toEqual({
    query: 'FOR key IN @keys\n  UPDATE key WITH @changes IN @@collection OPTIONS { keepNull: false }',
    binds: { '@collection': 'docs', keys: ['a'], changes: { address: { city: 'Bonn', code: 7 }, old: null } },
  })
  expect(JSON.stringify(change('docs', { keys: [] }, [edit('__proto__.x', '1')]).binds.changes)).toBe('{"__proto__":{"x":1}}')
})

it('tells mistakes', () => {
  expect(mistake([edit('a', 'null')])).toBe('')
  expect(mistake([edit('a.', '1')])).toContain('name')
  expect(mistake([edit('_key', 'x')])).toContain('_key')
  expect(mistake([edit('a', '1'), edit('a.b', '1')])).toContain('twice')
  expect(mistake([edit('a', 'null'), edit('b', '', true)])).toContain('null')
})
