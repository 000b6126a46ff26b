import { expect, it } from 'vitest'
import { ofCollection, ofDatabase } from './source'

const GRANTS = {
  shop: { permission: 'undefined', collections: { orders: 'rw', '*': 'none' } },
  _system: { permission: 'ro', collections: {} },
  '*': { permission: 'ro' },
} as const

it('tells where a right on a database comes from', () => {
  expect(ofDatabase(GRANTS, 'shop', 'ro')).toBe('may read, from “All others”')
  expect(ofDatabase(GRANTS, '_system', 'ro')).toBe('may read')
  expect(ofDatabase({}, 'shop', 'none')).toBe('no access')
})

it('tells where a right on a collection comes from', () => {
  expect(ofCollection(GRANTS, 'shop', 'orders', 'rw', 'ro')).toBe('may write')
  expect(ofCollection(GRANTS, 'shop', 'others', 'ro', 'ro')).toBe('may read, from the database shop')
  expect(ofCollection(GRANTS, 'shop', '_graphs', 'ro', 'ro')).toBe('may read, as a system collection')
  expect(ofCollection(GRANTS, 'shop', 'orders', 'none', 'none')).toBe('no access, as to the database')
  expect(ofCollection({ shop: { permission: 'ro', collections: { '*': 'rw' } } }, 'shop', 'x', 'rw', 'ro')).toBe('may write, from “All others” of shop')
})
