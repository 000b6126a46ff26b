import { expect, it } from 'vitest'
import { aliasesOf, linksOf, withAliases, withAnalyzers, withLinks, without } from './form'

it('reads and changes links, and keeps the rest', () => {
  const text = '{"links": {"a": {"cache": true}}, "commitIntervalMsec": 5}'
  expect(linksOf(text)).toEqual({ a: { cache: true } })
  expect(linksOf('{}')).toEqual({})
  expect(linksOf('[')).toBe(undefined)
  expect(linksOf('{"links": []}')).toBe(undefined)
  expect(JSON.parse(withLinks(text, { b: { includeAllFields: true } }))).toEqual({ links: { b: { includeAllFields: true } }, commitIntervalMsec: 5 })
  expect(withAnalyzers({ cache: true, analyzers: ['x'] }, [])).toEqual({ cache: true })
  expect(withAnalyzers({}, ['text_en'])).toEqual({ analyzers: ['text_en'] })
  expect(without({ a: 1, b: 2 }, 'a')).toEqual({ b: 2 })
})

it('reads and changes aliases', () => {
  expect(aliasesOf('{"indexes": [{"collection": "c", "index": "i"}]}')).toEqual([{ collection: 'c', index: 'i' }])
  expect(aliasesOf('{"indexes": {}}')).toBe(undefined)
  expect(JSON.parse(withAliases('{}', []))).toEqual({ indexes: [] })
})
