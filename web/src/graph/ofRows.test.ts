import { expect, it } from 'vitest'
import { mayHaveEdges, partOf } from './ofRows'

it('finds vertices and edges in paths', () => {
  const edge = { _id: 'e/1', _key: '1', _from: 'a/1', _to: 'a/2' }
  const path = JSON.stringify({ vertices: [{ _id: 'a/1', _key: '1', n: 5 }], edges: [edge] })
  expect(mayHaveEdges([path])).toBe(true)
  expect(partOf([path, path, '7'])).toEqual({
    vertices: [{ _id: 'a/1', _key: '1', n: 5 }, { _id: 'a/2', _key: '2' }],
    edges: [edge],
  })
  expect(mayHaveEdges(['{"_id":"a/1"}'])).toBe(false)
})
