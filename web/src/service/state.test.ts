import { expect, it } from 'vitest'
import { callOf } from '../api/operations'
import { changes, installation, mistakeOf, missing, operationsOf, pathOf, reasonOf, type Settings, type Source, textOf } from './state'

const SETTINGS: Settings = {
  currency: { title: 'Currency', type: 'string', required: true, current: 'EUR' },
  count: { title: 'Count', type: 'integer', required: true },
  secret: { title: 'Secret', type: 'password', required: true, current: '********' },
  shape: { title: 'Shape', type: 'json', required: false, current: { a: 1 }, currentRaw: '{"a": 1}' },
  mail: { title: 'Mail', required: true, multiple: false, current: '/mail' },
  more: { title: 'More', required: true, multiple: true, current: ['/a', '/b'] },
}

it('shows values as texts, and sends those that have changed', () => {
  const texts = Object.fromEntries(Object.entries(SETTINGS).map(([name, one]) => [name, textOf(one)]))
  expect(texts).toEqual({ currency: 'EUR', count: '', secret: '', shape: '{"a": 1}', mail: '/mail', more: '/a, /b' })
  expect(changes(SETTINGS, texts)).toEqual({})
  expect(changes(SETTINGS, { currency: '', count: '3', secret: 'x', shape: '[]', mail: '', more: '/c /d' })).toEqual({ currency: null, count: 3, secret: 'x', shape: '[]', mail: null, more: ['/c', '/d'] })
  expect(changes(SETTINGS, { count: '9007199254740993' })).toEqual({ count: '9007199254740993' })
  expect(changes(SETTINGS, { count: '1.5' })).toEqual({ count: 1.5 })
  expect(changes(SETTINGS, { count: 'many' })).toEqual({ count: 'many' })
  expect(missing({ ...SETTINGS, more: { title: '', required: true, multiple: true, current: [] } })).toEqual(['count', 'more'])
})

it('makes the requests of installations', () => {
  const source: Source = { mount: '/shop', address: '', setup: true, teardown: false, development: true }
  const zip = new File(['PK'], 'shop.zip')
  expect(installation('install', source)).toBeNull()
  expect(installation('install', { ...source, mount: 'shop', file: zip })).toBeNull()
  expect(installation('install', { ...source, file: zip })).toEqual({ method: 'POST', path: '/_api/foxx?mount=%2Fshop&setup=true&development=true', file: zip, headers: { 'content-type': 'application/zip' } })
  expect(installation('upgrade', { ...source, address: 'https://a/b.zip' })).toEqual({ method: 'PATCH', path: '/_api/foxx/service?mount=%2Fshop&setup=true&teardown=false', body: { source: 'https://a/b.zip' } })
  const script = installation('replace', { ...source, file: new File(['1'], 'a.js') })
  expect([script?.method, script?.headers]).toEqual(['PUT', { 'content-type': 'application/javascript' }])
  expect(mistakeOf({ ...source, file: new File([''], 'a.txt') })).toContain('.zip')
  expect(mistakeOf({ ...source, file: zip, address: 'x' })).toContain('not both')
  expect(pathOf('readme', '/a b')).toBe('/_api/foxx/readme?mount=%2Fa+b')
})

it('makes operations of routes', () => {
  const parameters = [{ name: 'key', in: 'path' }, { name: 'n', in: 'query' }, { name: 'x-token', in: 'header' }, { name: 'body', in: 'body' }]
  const [put, ...rest] = operationsOf({ paths: { '/items/{key}': { put: { summary: 'Puts', consumes: ['text/plain; charset=utf-8'], parameters }, parameters: {} } } }, '/shop')
  if (!put) throw new Error('no operation')
  expect([put.path, put.summary, rest]).toEqual(['/shop/items/{key}', 'Puts', []])
  expect(callOf(put, { key: 'a/b', n: '1', 'x-token': 't' }, 'text')).toEqual({ method: 'PUT', path: '/shop/items/a%2Fb?n=1', text: 'text', headers: { 'x-token': 't', 'content-type': 'text/plain' } })
})

it('gives the reason of a failure once', () => {
  expect(reasonOf({ title: 't', result: 'fail', err: { message: 'M', stack: 'Error: M\n at x' } })).toBe('Error: M\n at x')
  expect(reasonOf({ title: 't', result: 'fail', err: { message: 'M', stack: ' at x' } })).toBe('M\n at x')
  expect(reasonOf({ title: 't', result: 'pass', err: {} })).toBe('')
})
