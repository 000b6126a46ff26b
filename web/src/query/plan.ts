/** Execution plans: their nodes as lines with an indentation, and what each of them does. */
import { expressionText, type Ast } from './expression'

export interface PlanIndex {
  id?: string
  name: string
  type: string
  fields: (string | { name: string })[]
  unique: boolean
  sparse: boolean
  selectivityEstimate?: number
}

export interface PlanNode {
  id: number
  type: string
  dependencies: number[]
  estimatedCost: number
  estimatedNrItems: number
  // Further attributes depend on the type.
  [attribute: string]: any
}

export interface Plan {
  nodes: PlanNode[]
  rules: string[]
  collections: { name: string; type: string }[]
  estimatedCost: number
  estimatedNrItems: number
}

/** The statistics of a node after a query ran. */
export interface NodeStatistics {
  id: number
  calls: number
  items: number
  filtered: number
  /** Seconds of the node and the nodes before it. */
  runtime: number
  /** Seconds of the nodes before it. */
  fetching: number
}

/** A node as a line. */
export interface Line {
  node: PlanNode
  depth: number
  text: string
  indexes: PlanIndex[]
  statistics?: NodeStatistics
  /** Seconds of the node alone. */
  seconds?: number
}

const LOOPS = /^(EnumerateCollection|EnumerateList|Index|EnumerateView|Traversal|ShortestPath|EnumeratePaths|Join)Node$/

/** Returns the lines of a plan from its first node to its last. */
export function lines(plan: Plan, statistics: NodeStatistics[] = []): Line[] {
  const byId = new Map(statistics.map((node) => [node.id, node]))
  let depth = 0
  return inOrder(plan.nodes).map((node) => {
    if (node.type === 'SubqueryEndNode') depth = Math.max(0, depth - 1)
    const found = byId.get(node.id)
    const line: Line = {
      node,
      depth,
      text: describe(node, plan),
      indexes: indexesOf(node),
      statistics: found,
      seconds: found && Math.max(0, found.runtime - found.fetching),
    }
    if (LOOPS.test(node.type) || node.type === 'SubqueryStartNode') depth += 1
    return line
  })
}

/** Returns the indexes of a node. Those of a traversal are an object: all steps', and those of some steps. */
function indexesOf(node: PlanNode): PlanIndex[] {
  const indexes = node.indexes ?? node.index?.indexes ?? []
  if (Array.isArray(indexes)) return indexes
  const ofSteps: PlanIndex[] = [indexes.base ?? [], ...Object.values(indexes.levels ?? {})].flat(2)
  return ofSteps.filter((index, at) => ofSteps.findIndex((one) => one.id === index.id && one.name === index.name) === at)
}

/** Returns the nodes so that each stands behind those that it reads from. */
function inOrder(nodes: PlanNode[]): PlanNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ordered = new Set<PlanNode>()
  const visit = (node: PlanNode) => {
    if (ordered.has(node)) return
    for (const id of node.dependencies) {
      const before = byId.get(id)
      if (before) visit(before)
    }
    ordered.add(node)
  }
  nodes.forEach(visit)
  return [...ordered]
}

/** The name of a variable; those that the optimizer made have numbers. */
const name = (variable?: { name: string }) => variable?.name.replace(/^(?=\d)/, '#') ?? ''

/** Returns a node in the words of AQL. */
function describe(node: PlanNode, plan: Plan): string {
  const expressionOf = (variable?: { id: number; name: string }) => {
    const origin = plan.nodes.find((other) => other.type === 'CalculationNode' && other.outVariable?.id === variable?.id)
    return origin ? expressionText(origin.expression as Ast) : name(variable)
  }
  switch (node.type) {
    case 'SingletonNode':
      return 'start'
    case 'EnumerateCollectionNode':
      return `FOR ${name(node.outVariable)} IN ${node.collection}${node.random ? ' (in random order)' : ''}${filterOf(node)}`
    case 'EnumerateListNode':
      return `FOR ${name(node.outVariable)} IN ${expressionOf(node.inVariable)}`
    case 'IndexNode':
      return `FOR ${name(node.outVariable)} IN ${node.collection} by index${conditionOf(node)}${filterOf(node)}`
    case 'EnumerateViewNode':
      return `FOR ${name(node.outVariable)} IN ${node.view}${conditionOf(node)}`
    case 'FilterNode':
      return `FILTER ${expressionOf(node.inVariable)}`
    case 'CalculationNode':
      return `LET ${name(node.outVariable)} = ${expressionText(node.expression as Ast)}`
    case 'SortNode':
      return `SORT ${(node.elements as any[]).map((e) => expressionOf(e.inVariable) + (e.ascending ? '' : ' DESC')).join(', ')}`
    case 'LimitNode':
      return `LIMIT ${node.offset ? `${node.offset}, ` : ''}${node.limit}`
    case 'CollectNode':
      return `COLLECT ${collected(node, expressionOf)}`.trimEnd()
    case 'ReturnNode':
      return `RETURN ${expressionOf(node.inVariable)}`
    case 'SubqueryStartNode':
      return `LET ${name(node.subqueryOutVariable)} = (`
    case 'SubqueryEndNode':
      return ')'
    case 'MaterializeNode':
      return `read the document of ${name(node.outVariable)}`
    case 'TraversalNode':
      return `FOR ${name(node.vertexOutVariable)} IN ${node.options?.minDepth ?? 1}..${node.options?.maxDepth ?? 1} from ${node.vertexId ?? expressionOf(node.inVariable)} along ${graphOf(node)}`
    case 'InsertNode':
      return `INSERT ${expressionOf(node.inVariable)} INTO ${node.collection}`
    case 'UpdateNode':
    case 'ReplaceNode':
    case 'RemoveNode':
    case 'UpsertNode':
      return `${node.type.replace('Node', '').toUpperCase()} in ${node.collection}`
    default:
      return node.collection ? `in ${node.collection}` : ''
  }
}

function conditionOf(node: PlanNode): string {
  const text = node.condition ? expressionText(node.condition as Ast) : ''
  return text ? ` where ${text}` : ''
}

function filterOf(node: PlanNode): string {
  return node.filter ? ` FILTER ${expressionText(node.filter as Ast)}` : ''
}

function graphOf(node: PlanNode): string {
  if (typeof node.graph === 'string') return `graph ${node.graph}`
  return Array.isArray(node.graph) ? node.graph.join(', ') : 'edges'
}

function collected(node: PlanNode, expressionOf: (variable: any) => string): string {
  const groups = (node.groups as any[]).map((group) => `${name(group.outVariable)} = ${expressionOf(group.inVariable)}`)
  const aggregates = ((node.aggregates as any[]) ?? []).map(
    (a) => `${name(a.outVariable)} = ${a.type}(${a.inVariable ? expressionOf(a.inVariable) : ''})`,
  )
  const into = node.outVariable ? ` INTO ${name(node.outVariable)}` : ''
  return groups.join(', ') + (aggregates.length ? ` AGGREGATE ${aggregates.join(', ')}` : '') + into
}
