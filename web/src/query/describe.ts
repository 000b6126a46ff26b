/** What each node of a plan does, in the words of AQL. */
import { type Ast, bracketed, expressionText, type Names, quoted } from './expression'
import type { Plan, PlanNode } from './plan'

interface Variable {
  id: number
  name: string
}

/** True for a variable that the optimizer made: its name is a number. */
const isMade = ({ name }: Variable) => /^\d/.test(name)

/** Returns a function that describes the nodes of a plan. */
export function describer(plan: Plan): (node: PlanNode) => string {
  const names = namesOf(plan)
  const text = (node: unknown) => expressionText(node as Ast | undefined, names)
  const name = (variable?: Variable) => (variable ? (names(variable) ?? variable.name) : '')
  return (node) => {
    switch (node.type) {
      case 'SingletonNode':
        return 'start'
      case 'EnumerateCollectionNode':
        return `FOR ${name(node.outVariable)} IN ${node.collection}${node.random ? ' (in random order)' : ''}${clause('FILTER', text(node.filter))}${projected(node)}`
      case 'EnumerateListNode':
        return `FOR ${name(node.outVariable)} IN ${name(node.inVariable)}${clause('FILTER', text(node.filter))}`
      case 'IndexNode':
        return `FOR ${name(node.outVariable)} IN ${node.collection} by index${node.ascending === false ? ' (backwards)' : ''}${clause('where', text(node.condition))}${clause('FILTER', text(node.filter))}${projected(node)}`
      case 'EnumerateViewNode':
        return `FOR ${name(node.outVariable)} IN ${node.view}${clause('SEARCH', text(node.condition))}${scorers(node, text)}`
      case 'EnumerateNearVectorNode':
        return `FOR ${name(node.outVariable)} IN ${node.collection} by its distance to ${name(node.inVariable)}, the nearest ${node.limit}${clause('FILTER', text(node.filter))}`
      case 'FilterNode':
        return `FILTER ${bare(name(node.inVariable))}`
      case 'CalculationNode':
        return isMade(node.outVariable) ? `compute ${text(node.expression)}` : `LET ${name(node.outVariable)} = ${text(node.expression)}`
      case 'SortNode':
        return `SORT ${sorted(node.elements, name)}${node.limit ? `, the first ${node.limit}` : ''}`
      case 'LimitNode':
        return `LIMIT ${node.offset ? `${node.offset}, ` : ''}${node.limit}${node.fullCount ? ' with the full count' : ''}`
      case 'CollectNode':
        return collected(node, name)
      case 'WindowNode':
        return `WINDOW ${[node.preceding, node.following].map((bound, at) => `${at ? 'following' : 'preceding'} ${JSON.stringify(bound)}`).join(', ')}${aggregated(node, name)}`
      case 'ReturnNode':
        return `RETURN ${bare(name(node.inVariable))}`
      case 'SubqueryStartNode':
        return `LET ${name(node.subqueryOutVariable)} = (`
      case 'SubqueryEndNode':
        return ')'
      case 'MaterializeNode':
        return `read the document of ${name(node.outVariable)}`
      case 'TraversalNode':
      case 'ShortestPathNode':
      case 'EnumeratePathsNode':
        return walked(node, name, text)
      case 'InsertNode':
        return `INSERT ${name(node.inVariable)} INTO ${node.collection}`
      case 'UpdateNode':
      case 'ReplaceNode': {
        const verb = node.type === 'UpdateNode' ? 'UPDATE' : 'REPLACE'
        return node.inKeyVariable ? `${verb} ${name(node.inKeyVariable)} WITH ${name(node.inDocVariable)} IN ${node.collection}` : `${verb} ${name(node.inDocVariable)} IN ${node.collection}`
      }
      case 'RemoveNode':
        return `REMOVE ${name(node.inVariable)} IN ${node.collection}`
      case 'UpsertNode':
        return `UPSERT INSERT ${name(node.insertVariable)} ${node.isReplace ? 'REPLACE' : 'UPDATE'} ${name(node.updateVariable)} IN ${node.collection}`
      default:
        return node.collection ? `in ${node.collection}` : ''
    }
  }
}

/**
 * Returns what stands for the variables that the optimizer made: the path of a projection, the
 * expression that computes it, or what it holds. Nobody can find their numbers in the query.
 */
function namesOf({ nodes }: Plan): Names {
  const known = new Map<unknown, () => string>()
  const names: Names = ({ id, name }) => known.get(id)?.() ?? name?.replace(/^\$(?=OLD|NEW)/, '')
  const add = (variable: Variable | undefined, text: () => string) => {
    if (variable && isMade(variable) && !known.has(variable.id)) known.set(variable.id, text)
  }
  for (const node of nodes) {
    if (node.type === 'CalculationNode') add(node.outVariable, () => bracketed(node.expression as Ast, names))
    const project = (all: Projection[], document: Variable) => {
      for (const { path, variable } of all) if (variable) known.set(variable.id, () => [names(document) ?? '', ...path.map(quoted)].join('.'))
    }
    project(pathsOf(node.projections), node.outVariable)
    // Traversals have projections of their own.
    project(pathsOf(node.options?.vertexProjections), node.vertexOutVariable)
    project(pathsOf(node.options?.edgeProjections), node.edgeOutVariable)
    for (const group of (node.groups ?? []) as { outVariable: Variable; inVariable: Variable }[]) add(group.outVariable, () => names(group.inVariable) ?? '')
    add(node.subqueryOutVariable, () => 'subquery')
    add(node.distanceOutVariable, () => 'distance')
    if (node.type !== 'SubqueryEndNode') add(node.outVariable, () => (node.collection as string | undefined) ?? (node.view as string | undefined) ?? 'value')
  }
  return names
}

interface Projection {
  path: string[]
  variable?: Variable
}

function pathsOf(projections: unknown): Projection[] {
  const all = (projections ?? []) as Partial<Projection>[]
  return all.flatMap(({ path, variable }) => (Array.isArray(path) ? [{ path, variable }] : []))
}

/** Returns the attributes that are read in place of whole documents. */
function projected(node: PlanNode): string {
  const paths = pathsOf(node.projections).map(({ path }) => path.map(quoted).join('.'))
  return paths.length === 0 ? '' : ` reading ${paths.join(', ')}`
}

/** Returns an expression without the brackets around all of it. */
function bare(text: string): string {
  let depth = 0
  for (const [at, character] of [...text].entries()) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0 && at < text.length - 1) return text
  }
  return text.startsWith('(') ? text.slice(1, -1) : text
}

const clause = (word: string, text: string) => text && ` ${word} ${text}`

const sorted = (elements: { inVariable: Variable; ascending: boolean }[], name: (variable: Variable) => string) => elements.map((one) => name(one.inVariable) + (one.ascending ? '' : ' DESC')).join(', ')

/** Returns the scores that a view computes. */
function scorers(node: PlanNode, text: (node: unknown) => string): string {
  const scores = (node.scorers ?? []) as { node?: Ast }[]
  return clause('scoring', scores.map((one) => text(one.node)).filter(Boolean).join(', '))
}

const KINDS: Record<string, string> = { ShortestPathNode: 'SHORTEST_PATH ', TraversalNode: '' }
const DIRECTIONS = ['ANY', 'INBOUND', 'OUTBOUND']

/** Returns a traversal or a search of paths with its directions, filters and the condition that prunes it. */
function walked(node: PlanNode, name: (variable?: Variable) => string, text: (node: unknown) => string): string {
  const variables = [node.vertexOutVariable, node.edgeOutVariable, node.pathOutVariable].filter(Boolean).map((one) => name(one as Variable))
  const { minDepth, maxDepth } = node.options ?? {}
  const kind = KINDS[node.type] ?? `${node.shortestPathType ?? 'K_PATHS'} `
  const depth = minDepth !== undefined && (node.type === 'TraversalNode' || node.shortestPathType === 'K_PATHS') ? `${minDepth}..${maxDepth} ` : ''
  const from = node.vertexId ?? node.startVertexId ?? name(node.inVariable ?? node.startInVariable)
  const to = node.targetVertexId ?? name(node.targetInVariable)
  const filters = [text(node.condition), text(node.postFilter)].filter(Boolean).join(' AND ')
  return `FOR ${variables.join(', ') || 'path'} IN ${depth}${kind}from ${from}${clause('to', to)} along ${edges(node)}${clause('PRUNE', text(node.expression))}${clause('FILTER', filters)}`
}

/** Returns the collections of edges with their directions, and the graph's name if it has one. */
function edges(node: PlanNode): string {
  const names = (node.edgeCollections ?? node.graph ?? []) as string[]
  const directions = (node.directions ?? []) as number[]
  const found = new Map<string, number>()
  // Both directions of a collection are two entries.
  if (Array.isArray(names)) for (const [at, one] of names.entries()) found.set(one, found.has(one) ? 0 : (directions[at] ?? 0))
  const all = [...found].map(([collection, direction]) => `${DIRECTIONS[direction] ?? ''} ${collection}`.trim()).join(', ')
  return typeof node.graph === 'string' ? `graph ${node.graph} (${all})` : all
}

function collected(node: PlanNode, name: (variable?: Variable) => string): string {
  const all = (node.groups ?? []) as { outVariable: Variable; inVariable: Variable }[]
  if (node.isDistinctCommand) return `COLLECT DISTINCT ${all.map((group) => name(group.inVariable)).join(', ')}`
  const groups = clause('', all.map((group) => `${name(group.outVariable)} = ${name(group.inVariable)}`).join(', ')).trimEnd()
  return `COLLECT${groups && ` ${groups.trim()}`}${aggregated(node, name)}${node.outVariable ? ` INTO ${name(node.outVariable)}` : ''}`
}

function aggregated(node: PlanNode, name: (variable?: Variable) => string): string {
  const all = (node.aggregates ?? []) as { outVariable: Variable; inVariable?: Variable; type: string }[]
  return clause('AGGREGATE', all.map((one) => `${name(one.outVariable)} = ${one.type}(${name(one.inVariable)})`).join(', '))
}
