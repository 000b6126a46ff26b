import { expect, it } from 'vitest'
import { definition } from './indexForm'

it('has the attributes of its type only', () => {
  const form = { name: ' by_time ', fields: 'a, b.c ,', flags: { unique: true, geoJson: true }, texts: { expireAfter: '60', storedValues: 'x, y' } }
  expect(definition({ ...form, type: 'persistent' })).toEqual({ type: 'persistent', fields: ['a', 'b.c'], name: 'by_time', unique: true, storedValues: ['x', 'y'] })
  expect(definition({ ...form, type: 'ttl' })).toEqual({ type: 'ttl', fields: ['a', 'b.c'], name: 'by_time', expireAfter: 60 })
  expect(definition({ ...form, type: 'mdi', name: '' })).toMatchObject({ fieldValueTypes: 'double', unique: true })
})
