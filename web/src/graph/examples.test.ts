import { expect, it } from 'vitest'
import { documentsOf, EXAMPLES } from './examples'

it('have edges between vertices that are there, as their definitions say', () => {
  for (const example of EXAMPLES) {
    const ids = new Set(Object.entries(example.vertices).flatMap(([collection, all]) => Object.keys(all).map((key) => `${collection}/${key}`)))
    for (const { collection, from, to } of example.edgeDefinitions) {
      const edges = example.edges[collection] ?? []
      expect(edges.length).toBeGreaterThan(0)
      for (const [one, other] of edges) {
        expect([ids.has(one), ids.has(other)]).toEqual([true, true])
        expect([from.includes(one.split('/')[0] ?? ''), to.includes(other.split('/')[0] ?? '')]).toEqual([true, true])
      }
    }
  }
  const [knows] = EXAMPLES
  if (knows) expect(documentsOf(knows).map(([name, all]) => [name, all.length])).toEqual([['persons', 5], ['knows', 5]])
})
