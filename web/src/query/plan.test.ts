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
    expect(expressionText({} as Ast)).toBe('')
  })

  it('have quantifiers, expansions and chains', () => {
    const all: Ast = { type: 'array compare ==', subNodes: [attribute('n'), value(1), { type: 'quantifier', quantifier: 'at least', subNodes: [value(2)] }] }
    expect(expressionText(all)).toBe('d.n AT LEAST (2) == 1')
    const current: Ast = { type: 'reference', name: '3', id: 3 }
    const ofCurrent = (name: string): Ast => ({ type: 'attribute access', name, subNodes: [current] })
    const iterator: Ast = { type: 'iterator', subNodes: [{ type: 'variable', name: '3', id: 3 }, attribute('list')] }
    const nothing: Ast = { type: 'no-op' }
    expect(expressionText({ type: 'expansion', levels: 2, subNodes: [iterator, current, nothing, nothing, ofCurrent('y')] })).toBe('d.list[**].y')
    const limit: Ast = { type: 'array limit', subNodes: [value(0), value(2)] }
    const call: Ast = { type: 'function call', name: 'F', subNodes: [{ type: 'array', subNodes: [ofCurrent('b')] }] }
    const filter: Ast = { type: 'compare >', subNodes: [ofCurrent('a'), value(1)] }
    expect(expressionText({ type: 'expansion', levels: 1, subNodes: [iterator, current, filter, limit, call] })).toBe('d.list[* FILTER CURRENT.a > 1 LIMIT 2 RETURN F(CURRENT.b)]')
    expect(expressionText({ type: 'expansion', booleanize: true, subNodes: [iterator, { type: 'quantifier', quantifier: 'any', subNodes: [] }, filter] })).toBe('d.list[? ANY FILTER CURRENT.a > 1]')
    const and = (...subNodes: Ast[]): Ast => ({ type: 'logical and', subNodes })
    expect(expressionText(and(and(attribute('a'), attribute('b')), attribute('c')))).toBe('d.a AND d.b AND d.c')
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

  const texts = (...nodes: Plan['nodes']) => lines({ ...plan, nodes }).map((line) => line.text)
  const made = (id: number) => ({ id, name: String(id) })

  it('name what the optimizer made instead of its numbers', () => {
    const compare: Ast = { type: 'compare >', subNodes: [{ type: 'reference', name: '7', id: 7 }, value(1)] }
    const projections = [{ path: ['a', 'b c'], variable: made(7) }]
    expect(texts(
      node(1, 'IndexNode', { outVariable: { id: 0, name: 'd' }, collection: 'docs', condition: {}, projections, ascending: false }),
      node(2, 'CalculationNode', { outVariable: made(8), expression: compare }),
      node(3, 'FilterNode', { inVariable: made(8) }),
      node(4, 'SortNode', { elements: [{ inVariable: made(7), ascending: false }], limit: 2 }),
      node(5, 'RemoveNode', { inVariable: made(7), collection: 'docs' }),
    )).toEqual(['FOR d IN docs by index (backwards) reading a.`b c`', 'compute d.a.`b c` > 1', 'FILTER d.a.`b c` > 1', 'SORT d.a.`b c` DESC, the first 2', 'REMOVE d.a.`b c` IN docs'])
  })

  it('have the directions, filters and pruning of traversals', () => {
    const [v, e] = [{ id: 1, name: 'v' }, { id: 2, name: 'e' }]
    const options = { minDepth: 1, maxDepth: 3 }
    const more = { vertexOutVariable: v, edgeOutVariable: e, vertexId: 'a/1', options }
    expect(texts(node(1, 'TraversalNode', { ...more, graph: 'g', directions: [2, 1, 2], edgeCollections: ['x', 'x', 'y'], condition: attribute('p'), postFilter: attribute('q'), expression: attribute('r') }))).toEqual([
      'FOR v, e IN 1..3 from a/1 along graph g (ANY x, OUTBOUND y) PRUNE d.r FILTER d.p AND d.q',
    ])
    const projected = { ...more, options: { ...options, vertexProjections: [{ path: ['n'], variable: made(9) }] } }
    expect(texts(node(1, 'TraversalNode', { ...projected, graph: ['x'], directions: [2], edgeCollections: ['x'] }), node(2, 'SortNode', { elements: [{ inVariable: made(9), ascending: true }] }))[1]).toBe('SORT v.n')
    expect(texts(node(1, 'ShortestPathNode', { vertexOutVariable: v, startVertexId: 'a/1', targetVertexId: 'a/2', graph: ['x'], directions: [1], edgeCollections: ['x'], options: {} }))).toEqual(['FOR v IN SHORTEST_PATH from a/1 to a/2 along INBOUND x'])
  })

  it('return to the margin of a subquery at its end', () => {
    const nodes = [node(1, 'SubqueryStartNode', { subqueryOutVariable: { id: 3, name: 'q' } }), node(2, 'EnumerateListNode', { outVariable: { id: 4, name: 'i' }, inVariable: { id: 5, name: 'list' } }), node(3, 'SubqueryEndNode')]
    expect(lines({ ...plan, nodes }).map((line) => [line.depth, line.text])).toEqual([[0, 'LET q = ('], [1, 'FOR i IN list'], [0, ')']])
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
