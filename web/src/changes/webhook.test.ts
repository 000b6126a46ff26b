import { expect, test } from 'vitest'
import { bodyOf, EMPTY, fieldsOf, outcome, type Webhook } from './webhook'

const HOOK: Webhook = {
  name: 'orders', url: 'https://example.com/', user: 'root', collections: ['orders'], filter: null, bindVars: null, format: 'persea', batchSize: 100, batchWait: 0.5,
  maxAttempts: 10, paused: false, token: 'v1.a.1', lag: 0, state: 'running', attempts: 0, lastError: null, lastSuccess: null, deadLetters: 0,
}

test('a new webhook has what was typed', () => {
  expect(bodyOf({ ...EMPTY, name: 'a', url: 'https://b', filter: ' true ', secret: 's', batchSize: '5' }, true)).toEqual({
    name: 'a', since: 'now', url: 'https://b', secret: 's', collections: null, filter: 'true', bindVars: null, format: 'persea', batchSize: 5,
  })
})

test('a change keeps the name, the position, and a secret and headers that are not typed', () => {
  expect(bodyOf(fieldsOf(HOOK), false)).toEqual({
    url: 'https://example.com/', collections: ['orders'], filter: null, bindVars: null, format: 'persea', batchSize: 100, batchWait: 0.5, maxAttempts: 10,
  })
})

test('fields that cannot be read are refused', () => {
  expect(() => bodyOf({ ...EMPTY, headers: 'nothing' }, true)).toThrow('name: value')
  expect(() => bodyOf({ ...EMPTY, bindVars: '[]' }, true)).toThrow('JSON object')
  expect(() => bodyOf({ ...EMPTY, bindVars: '{' }, true)).toThrow()
})

test('headers are lines', () => {
  expect(bodyOf({ ...fieldsOf(HOOK), headers: 'x-a: 1: 2\n\nx-b:3\n' }, false)).toMatchObject({ headers: { 'x-a': '1: 2', 'x-b': '3' } })
})

test('a test delivery tells its outcome', () => {
  expect(outcome({ delivered: true, status: 204, error: null })).toContain('204')
  expect(outcome({ delivered: false, status: null, error: 'connection refused' })).toContain('failed: connection refused')
})
