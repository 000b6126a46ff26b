import { expect, it } from 'vitest'
import { callOf, type Description, operationsOf, search } from './operations'

const DESCRIPTION: Description = {
  paths: {
    '/_api/document/{collection}/{key}': {
      get: { tags: ['_api/document'], summary: 'Returns a document.', parameters: [{ name: 'collection', in: 'path' }, { name: 'key', in: 'path' }, { name: 'rev', in: 'query' }], 'x-persea-access': 'use' },
    },
    '/_admin/execute': {
      post: { tags: ['_admin/execute'], summary: 'Runs a program.', requestBody: { content: { 'text/plain': { example: 'return 1' } } }, 'x-persea-access': 'write', 'x-persea-system': true },
    },
  },
}

it('reads and finds operations', () => {
  const all = operationsOf(DESCRIPTION)
  expect(all.map((one) => `${one.method} ${one.path} ${one.access}`)).toEqual(['GET /_api/document/{collection}/{key} use', 'POST /_admin/execute write'])
  expect(search(all, ' POST  program')).toEqual([all[1]])
  expect(search(all, 'nothing')).toEqual([])
})

it('makes requests whose values cannot leave their places', () => {
  const [read, run] = operationsOf(DESCRIPTION)
  if (!read || !run) throw new Error('no operations')
  expect(callOf(read, { collection: 'a/../b', key: 'x?y', rev: '1&2' }, 'ignored')).toEqual({ method: 'GET', path: '/_api/document/a%2F..%2Fb/x%3Fy?rev=1%262' })
  expect(callOf(read, { collection: 'a', key: 'b', rev: '' }, '').path).toBe('/_api/document/a/b')
  expect(callOf(run, {}, 'return 2')).toEqual({ method: 'POST', path: '/_admin/execute', database: '_system', text: 'return 2', headers: { 'content-type': 'text/plain' } })
})
