import Graph from 'graphology'
import { expect, it } from 'vitest'
import { groupColour, groupsOf, kindOf, NO_COLOUR, numericColumns, placeIn, rangeOf, SCALE, scaleColour } from './colours'
import { paintBy } from './paint'

it('tells measures from names of groups', () => {
  expect(kindOf('rank', [0.5, null, 1])).toBe('Scale')
  expect(kindOf('component', [0, 1])).toBe('Distinct colours')
  expect(kindOf('labels', [['a']])).toBe('Distinct colours')
  expect(numericColumns(['level', 'parent', 'none'], [{ level: 0, parent: null }, { level: null, parent: 'a/1' }])).toEqual(['level'])
})

it('puts the least and the greatest number at the ends of the scale', () => {
  const range = rangeOf([3, 1, null, 'x', 5], false)
  expect([range.least, range.greatest]).toEqual([1, 5])
  expect([1, 3, 5, 9].map((value) => placeIn(range, value))).toEqual([0, 0.5, 1, 1])
  expect([scaleColour(0), scaleColour(1)]).toEqual([SCALE[0], SCALE.at(-1)])
  const powers = rangeOf([0, 1, 100], true)
  expect([0, 1, 10, 100].map((value) => placeIn(powers, value))).toEqual([0, 0, 0.5, 1])
  // One value alone has no range.
  expect(placeIn(rangeOf([7, 7], false), 7)).toBe(0.5)
})

it('gives each group a colour of its own, which it keeps', () => {
  const known = new Map<string, string>()
  const first = groupsOf([2, 1, 1, null], known)
  expect(first.map(({ text, count }) => [text, count])).toEqual([['1', 2], ['2', 1]])
  const later = groupsOf([3, 3, 3, 1, 2], known)
  expect(later.map(({ text }) => text)).toEqual(['3', '1', '2'])
  expect(later[1]?.colour).toBe(first[0]?.colour)
  const colours = Array.from({ length: 60 }, (_, number) => groupColour(number))
  expect(new Set(colours).size).toBe(60)
  expect(colours.every((colour) => /^#[\da-f]{6}$/.test(colour))).toBe(true)
})

it('paints vertices, and those without a value in grey', () => {
  const graph = new Graph()
  for (const node of ['a/1', 'a/2', 'a/3']) graph.addNode(node, { size: 1, color: 'red' })
  const rows = new Map([['a/1', { rank: 1, part: 'x' }], ['a/2', { rank: 3, part: 'y' }]])
  const legend = paintBy(graph, rows, { column: 'rank', kind: 'Scale', size: 'rank' }, new Map())
  expect(legend).toMatchObject({ column: 'rank', range: { least: 1, greatest: 3 }, missing: 1 })
  expect(graph.mapNodes((_, { color }) => color)).toEqual([SCALE[0], SCALE.at(-1), NO_COLOUR])
  expect(graph.mapNodes((_, { size }) => size)).toEqual([4, 16, 4])
  expect(paintBy(graph, rows, { column: 'part', kind: 'Distinct colours', size: '' }, new Map())?.groups?.length).toBe(2)
  expect(new Set(graph.mapNodes((_, { color }) => color)).size).toBe(3)
  // Without a column the colours stay.
  expect(paintBy(graph, rows, { column: '', kind: 'Scale', size: '' }, new Map())).toBe(undefined)
})
