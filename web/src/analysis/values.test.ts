import { expect, it } from 'vitest'
import type { Algorithm, Parameter } from './algorithm'
import { bindsOf, jsonOf, withBind, withOptions, writtenNames } from './values'

const parameter = (name: string, type: Parameter['type'], more: Partial<Parameter> = {}): Parameter => ({ name, type, about: '', values: '', ...more })

it('sends what differs from the defaults, and every digit', () => {
  expect(jsonOf(parameter('damping', 'number', { default: 0.85 }), '0.85')).toBe(undefined)
  expect(jsonOf(parameter('damping', 'number', { default: 0.85 }), ' 2 ')).toBe('2')
  expect(jsonOf(parameter('seed', 'integer', { default: 1 }), '18446744073709551615')).toBe('18446744073709551615')
  expect(jsonOf(parameter('seed', 'integer', { default: 1 }), '1, 2')).toBe('"1, 2"')
  expect(jsonOf(parameter('weighted', 'bool', { default: true }), 'false')).toBe('false')
  expect(jsonOf(parameter('weighted', 'bool', { default: true }))).toBe(undefined)
  expect(jsonOf(parameter('direction', 'choice', { default: 'outbound' }), 'any')).toBe('"any"')
  expect(jsonOf(parameter('sources', 'vertices'), ' a/1\n\na/2,3 ')).toBe('["a/1","a/2,3"]')
  expect(jsonOf(parameter('source', 'vertex'), '')).toBe(undefined)
})

const algorithm: Algorithm = {
  name: 'pageRank',
  about: '',
  definition: '',
  parameters: [parameter('damping', 'number', { default: 0.85 }), parameter('seedAttribute', 'attribute')],
  columns: ['rank'],
  byVertex: true,
}

it('loads the attributes that a run names with the graph', () => {
  const plain = bindsOf('web', algorithm, { typed: {}, weight: '' })
  expect(JSON.parse(plain)).toEqual({ algorithm: 'pageRank', graph: 'web', parameters: {}, options: null })
  const rich = bindsOf('web', algorithm, { typed: { damping: '0.5', seedAttribute: 'start', old: '7' }, weight: ' km ' })
  expect(JSON.parse(rich)).toEqual({ algorithm: 'pageRank', graph: { graph: 'web', weightAttribute: 'km', vertexAttributes: ['start'] }, parameters: { damping: 0.5, seedAttribute: 'start' }, options: null })
  expect(JSON.parse(withBind(withOptions(plain, { mode: 'stats' }), 'drawn', ['a/1']))).toEqual({ algorithm: 'pageRank', graph: 'web', parameters: {}, options: { mode: 'stats' }, drawn: ['a/1'] })
})

it('names the attributes that are written as the server does', () => {
  expect(writtenNames(['rank'], '')).toEqual(['rank'])
  expect(writtenNames(['rank'], 'r')).toEqual(['r'])
  expect(writtenNames(['level', 'parent'], 'bfs')).toEqual(['bfs_level', 'bfs_parent'])
})
