import { expect, it } from 'vitest'
import { definition, isComplete } from './indexForm'

it('has the attributes of its type only', () => {
  const form = { name: ' by_time ', fields: 'a, b.c ,', flags: { unique: true, geoJson: true }, texts: { expireAfter: '60', storedValues: 'x, y' } }
  expect(definition({ ...form, type: 'persistent' })).toEqual({ type: 'persistent', fields: ['a', 'b.c'], name: 'by_time', unique: true, storedValues: ['x', 'y'] })
  expect(definition({ ...form, type: 'ttl' })).toEqual({ type: 'ttl', fields: ['a', 'b.c'], name: 'by_time', expireAfter: 60 })
  expect(definition({ ...form, type: 'mdi', name: '' })).toMatchObject({ fieldValueTypes: 'double', unique: true })
})

it('makes inverted and vector indexes', () => {
  const form = { name: '', fields: '', flags: { includeAllFields: true }, texts: { analyzer: 'text_en', metric: 'l2', dimension: '3' } }
  expect(isComplete({ ...form, type: 'inverted' })).toBe(true)
  expect(definition({ ...form, type: 'inverted' })).toEqual({ type: 'inverted', fields: [], analyzer: 'text_en', includeAllFields: true })
  expect(isComplete({ ...form, type: 'vector' })).toBe(false)
  expect(definition({ ...form, type: 'vector', fields: 'at' })).toEqual({ type: 'vector', fields: ['at'], params: { metric: 'l2', dimension: 3 } })
})
