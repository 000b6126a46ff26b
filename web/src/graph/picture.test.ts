import Graph from 'graphology'
import { expect, it } from 'vitest'
import { add, drop, hide, paint, update } from './picture'

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
  expect([...paint(graph, { label: 'name.first', colour: '', edge: '' }).keys()]).toEqual(['a', 'b'])
  expect(graph.getNodeAttribute('a/1', 'label')).toBe('Ann')
  expect([...paint(graph, { label: '', colour: 'kind', edge: '' }).keys()]).toEqual(['1'])
  expect(graph.getNodeAttribute('b/2', 'label')).toBe('2')
})

it('labels edges, and hides a vertex with what hangs on it alone', () => {
  const graph = new Graph({ multi: true, type: 'directed' })
  const edges = [{ ...edge('e/1', 'a/1', 'a/2'), kind: 'knows' }, edge('e/2', 'a/2', 'a/3'), edge('e/3', 'a/3', 'a/4')]
  add(graph, { vertices: ['a/1', 'a/2', 'a/3', 'a/4'].map((id) => vertex(id)), edges })
  paint(graph, { label: '', colour: '', edge: 'kind' })
  expect(graph.getEdgeAttribute('e/1', 'label')).toBe('knows')
  hide(graph, 'a/2')
  expect(graph.nodes()).toEqual(['a/3', 'a/4'])
})

it('shows what was changed and removed', () => {
  const graph = new Graph({ multi: true, type: 'directed' })
  add(graph, { vertices: [vertex('a/1'), vertex('a/2')], edges: [edge('e/1', 'a/1', 'a/2')] })
  update(graph, vertex('a/1', { n: 5 }))
  update(graph, edge('e/1', 'a/2', 'a/1'))
  expect(graph.getNodeAttribute('a/1', 'document')).toMatchObject({ n: 5 })
  expect(graph.source('e/1')).toBe('a/2')
  update(graph, vertex('a/9'))
  drop(graph, 'a/9')
  drop(graph, 'a/2')
  expect([graph.order, graph.size]).toEqual([1, 0])
})
