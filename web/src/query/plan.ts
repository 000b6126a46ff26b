/** Execution plans: their nodes as lines with an indentation, and what each of them does. */
import { describer } from './describe'

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

const LOOPS = /^(EnumerateCollection|EnumerateList|Index|EnumerateView|EnumerateNearVector|Traversal|ShortestPath|EnumeratePaths|Join)Node$/

/** Returns the lines of a plan from its first node to its last. */
export function lines(plan: Plan, statistics: NodeStatistics[] = []): Line[] {
  const byId = new Map(statistics.map((node) => [node.id, node]))
  const describe = describer(plan)
  let depth = 0
  const outside: number[] = []
  return inOrder(plan.nodes).map((node) => {
    if (node.type === 'SubqueryEndNode') depth = outside.pop() ?? 0
    if (node.type === 'SubqueryStartNode') outside.push(depth)
    const found = byId.get(node.id)
    const line: Line = {
      node,
      depth,
      text: describe(node),
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
