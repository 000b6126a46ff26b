import { expect, test } from 'vitest'
import { differencesOf, EMPTY, operationsOf, sourceOf } from './state'

test('the source is sent without fields that are empty', () => {
  expect(sourceOf({ ...EMPTY, endpoint: ' tcp://a:1 ', password: 'p' })).toEqual({ endpoint: 'tcp://a:1', username: 'root', password: 'p' })
  const { databases, tls } = sourceOf({ ...EMPTY, databases: 'a, ,b', caFile: '/ca.pem' })
  expect([databases, tls]).toEqual([['a', 'b'], { caFile: '/ca.pem', verify: true }])
})

test('a phase allows its operations only', () => {
  expect(operationsOf({ phase: 'none' })).toEqual([])
  expect(operationsOf({ phase: 'ended', kind: 'migration' })).toEqual([])
  expect(operationsOf({ phase: 'cutting-over', kind: 'migration' })).toEqual([])
  expect(operationsOf({ phase: 'copying', kind: 'migration' })).toEqual(['pause', 'abort'])
  expect(operationsOf({ phase: 'following', kind: 'migration' })).toEqual(['pause', 'cut-over', 'abort'])
  expect(operationsOf({ phase: 'following', kind: 'follower' })).toEqual(['pause', 'promote'])
  expect(operationsOf({ phase: 'failed', kind: 'migration' })).toEqual(['resume', 'abort'])
})

test('collections that agree are not differences', () => {
  const one = { database: 'a', collection: 'c', source: 1, here: 1 }
  expect(differencesOf({ phase: 'following', comparison: [{ ...one, equal: true }, { ...one, equal: false }] })).toEqual([{ ...one, equal: false }])
  expect(differencesOf({ phase: 'following', comparison: null })).toEqual([])
})
