import Graph from 'graphology'
import { expect, it } from 'vitest'
import { add, paint } from './picture'

const vertex = (id: string, more = {}) => ({ _id: id, _key: id.split('/')[1] ?? '', ...more })
const edge = (id: string, from: string, to: string) => ({ ...vertex(id), _from: from, _to: to })

it('adds each vertex and edge once, and no edge without its ends', () => {
  const graph = new Graph({ multi: true, type: 'directed' })
  const part = { vertices: [vertex('a/1'), vertex('a/2')], edges: [edge('e/1', 'a/1', 'a/2'), edge('e/2', 'a/1', 'a/9')] }
  add(graph, part)
  const x = graph.getNodeAttribute('a/1', 'x')
  add(graph, part)
  expect([graph.order, graph.size, graph.getNodeAttribute('a/1', 'x')]).toEqual([2, 1, x])
})

it('labels and colours by attributes', () => {
  const graph = new Graph({ multi: true, type: 'directed' })
  add(graph, { vertices: [vertex('a/1', { name: { first: 'Ann' }, kind: 1 }), vertex('b/2', { kind: 1 })], edges: [] })
  expect([...paint(graph, { label: 'name.first', colour: '' }).keys()]).toEqual(['a', 'b'])
  expect(graph.getNodeAttribute('a/1', 'label')).toBe('Ann')
  expect([...paint(graph, { label: '', colour: 'kind' }).keys()]).toEqual(['1'])
  expect(graph.getNodeAttribute('b/2', 'label')).toBe('2')
})
