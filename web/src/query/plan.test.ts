import { describe, expect, it } from 'vitest'
import { expressionText, type Ast } from './expression'
import { lines, type Plan } from './plan'

const attribute = (name: string): Ast => ({ type: 'attribute access', name, subNodes: [{ type: 'reference', name: 'd' }] })
const value = (value: unknown): Ast => ({ type: 'value', value })

describe('expressions', () => {
  it('are printed as AQL', () => {
    const greater: Ast = { type: 'compare >', subNodes: [attribute('n'), value(5)] }
    const both: Ast = { type: 'logical and', subNodes: [greater, { type: 'unary not', subNodes: [attribute('a b')] }] }
    expect(expressionText(both)).toBe('(d.n > 5) AND NOT d.`a b`')
    const call: Ast = { type: 'function call', name: 'MAX', subNodes: [{ type: 'array', subNodes: [attribute('n'), value('x')] }] }
    expect(expressionText(call)).toBe('MAX(d.n, "x")')
    expect(expressionText({ type: 'something new' })).toBe('<something new>')
  })
})

describe('plans', () => {
  const node = (id: number, type: string, more = {}) => ({
    id,
    type,
    dependencies: id > 1 ? [id - 1] : [],
    estimatedCost: id,
    estimatedNrItems: 1,
    ...more,
  })
  const plan: Plan = {
    nodes: [
      node(3, 'ReturnNode', { inVariable: { id: 0, name: 'd' } }),
      node(1, 'SingletonNode'),
      node(2, 'EnumerateCollectionNode', { outVariable: { id: 0, name: 'd' }, collection: 'docs' }),
    ],
    rules: [],
    collections: [],
    estimatedCost: 3,
    estimatedNrItems: 1,
  }

  it('are lines in the order of execution, indented by loops', () => {
    expect(lines(plan).map((line) => [line.depth, line.text])).toEqual([
      [0, 'start'],
      [0, 'FOR d IN docs'],
      [1, 'RETURN d'],
    ])
  })

  it('have the indexes of loops and of all steps of traversals', () => {
    const [edge, more] = ['edge', 'more'].map((name, id) => ({ id: String(id), name, type: 'edge', fields: ['_from'], unique: false, sparse: false }))
    const nodes = [node(1, 'IndexNode', { indexes: [more] }), node(2, 'TraversalNode', { indexes: { base: [edge], levels: { 1: [edge, more] } } }), node(3, 'ReturnNode')]
    expect(lines({ ...plan, nodes }).map((line) => line.indexes)).toEqual([[more], [edge, more], []])
  })

  it('have the time of each node alone', () => {
    const statistics = [{ id: 2, calls: 1, items: 9, filtered: 0, runtime: 0.5, fetching: 0.2 }]
    expect(lines(plan, statistics)[1]?.seconds).toBeCloseTo(0.3)
  })
})
