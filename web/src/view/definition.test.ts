import { expect, it } from 'vitest'
import { changeable, collectionsOf, type Definition, fixed, mistake } from './definition'

const VIEW: Definition = { id: '1', name: 'v', type: 'arangosearch', links: { books: { includeAllFields: true } }, commitIntervalMsec: 5, storedValues: [], globallyUniqueId: 'x' }

it('divides properties into those that can change and the others', () => {
  expect(JSON.parse(changeable(VIEW))).toEqual({ links: { books: { includeAllFields: true } }, commitIntervalMsec: 5 })
  expect(fixed(VIEW)).toEqual([['storedValues', '[]']])
  expect(collectionsOf(VIEW)).toEqual(['books'])
  expect(collectionsOf({ id: '2', name: 'a', type: 'search-alias', indexes: [{ collection: 'c', index: 'x' }, { collection: 'c', index: 'y' }] })).toEqual(['c'])
})

it('tells mistakes of links', () => {
  const links = (links: unknown) => mistake(JSON.stringify({ links }), 'arangosearch', false)
  expect(links({ books: { fields: { title: { analyzers: ['text_en'] } } }, gone: null })).toBe('')
  expect(links({ books: { title: {} } })).toContain('"title" in links.books')
  expect(links({ books: { fields: { title: { nested: { a: { nothing: 1 } } } } } })).toContain('links.books.fields.title.nested.a')
  expect(links({ books: { fields: ['title'] } })).toContain('links.books.fields must be an object')
  expect(links([])).toContain('must be an object')
  expect(mistake('{', 'arangosearch', false)).not.toBe('')
  expect(mistake('[]', 'arangosearch', false)).toContain('must be an object')
})

it('tells properties that a view lacks', () => {
  expect(mistake('{"storedValues": []}', 'arangosearch', true)).toBe('')
  expect(mistake('{"storedValues": []}', 'arangosearch', false)).toContain('new view only')
  expect(mistake('{"links": {}}', 'search-alias', true)).toContain('"links"')
  expect(mistake('{"indexes": [{"collection": "c", "index": "i"}]}', 'search-alias', false)).toBe('')
  expect(mistake('{"indexes": [{"collection": "c"}]}', 'search-alias', false)).toContain('"index"')
  expect(mistake('{"indexes": {}}', 'search-alias', false)).toContain('array')
})
