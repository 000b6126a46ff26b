import { expect, it } from 'vitest'
import { messagesOf } from './messages'

const ENTRIES: [string, string][] = [
  ['v8', '/shop: Sold a cup, database: own'],
  ['v8', '/shop: two\nlines, database: own'],
  ['v8', '/shop: , database: own'],
  ['v8', '/shop: cut ...'],
  ['v8', '/shop: of another, database: other'],
  ['v8', '/shop: passes for own, database: own, database: other'],
  ['v8', '/shop: of a longer name, database: own2'],
  ['v8', '/shop2: of another service, database: own'],
  ['v8', '/shop/api: below it, database: own'],
  ['v8', '/my/shop: above it, database: own'],
  ['v8', '/Shop: in another case, database: own'],
  ['v8', 'the service at /shop: of the server, database: own'],
  ['general', '/shop: of a script, database: own'],
]
const LINES = ENTRIES.map(([topic, message], id) => ({ id, topic, level: 'INFO', date: '', message }))

const texts = (text: string, mount = '/shop', database = 'own') => messagesOf(LINES, mount, database, text).map(({ message }) => message)

it('shows the messages of one service in one database', () => {
  expect(texts('')).toEqual(['Sold a cup', 'two\nlines', ''])
  expect(texts('', '/shop2')).toEqual(['of another service'])
  expect(texts('', '/shop', 'other')).toEqual(['of another', 'passes for own, database: own'])
  expect(texts('', '/none')).toEqual([])
})

it('finds texts of messages in any case, and none of what the server adds', () => {
  expect(texts('sOLD')).toEqual(['Sold a cup'])
  expect(texts('database')).toEqual([])
  expect(texts('/shop')).toEqual([])
})

it('keeps the other fields of entries', () => {
  expect(messagesOf(LINES, '/shop', 'own', 'cup')).toEqual([{ ...LINES[0], message: 'Sold a cup' }])
})
