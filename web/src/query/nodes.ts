/** A query as nested brackets. */
import type { Token } from './tokens'

/** A token, or a pair of brackets with its contents. */
export interface Node extends Token {
  /** The contents of brackets, whose opening one is the text. */
  children?: Node[]
  /** The closing bracket. */
  close?: string
  /** True for a colon of a ternary operator. */
  isTernary?: boolean
  /** True for an operator that has a value behind it only. */
  isPrefix?: boolean
}

const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** The deepest brackets; the server refuses deeper ones, too. */
const MAX_DEPTH = 200

/** Returns the nodes of tokens, or `undefined` if the brackets do not match or are too deep. */
export function parse(all: Token[]): Node[] | undefined {
  const open: { nodes: Node[]; node?: Node; questions: number }[] = [{ nodes: [], questions: 0 }]
  for (const token of all) {
    const level = open.at(-1)
    if (!level || open.length > MAX_DEPTH) return undefined
    const node: Node = { ...token }
    const isOperator = token.kind === 'operator'
    if (isOperator && token.text in CLOSING) {
      node.children = []
      node.close = CLOSING[token.text]
      level.nodes.push(node)
      open.push({ nodes: node.children, node, questions: 0 })
    } else if (isOperator && /^[)\]}]$/.test(token.text)) {
      if (level.node?.close !== token.text) return undefined
      open.pop()
    } else {
      if (isOperator) mark(node, level)
      level.nodes.push(node)
    }
  }
  return open.length === 1 ? open[0]?.nodes : undefined
}

/** Tells operators apart whose spaces depend on their place. */
function mark(node: Node, level: { nodes: Node[]; node?: Node; questions: number }) {
  const before = level.nodes.findLast((one) => !one.kind.endsWith('comment'))
  if (/^[-+!]$/.test(node.text)) node.isPrefix = !before || !isValue(before)
  // In `[? ...]` the question mark is no ternary operator.
  const isQuestion = node.text === '?' && !(level.node?.text === '[' && !before)
  if (isQuestion) level.questions += 1
  else if (node.text === ':' && level.questions > 0) {
    node.isTernary = true
    level.questions -= 1
  } else if (node.text === ',') level.questions = 0
}

/** Words behind which no value has ended. */
const BEHIND = /^(AND|OR|NOT|IN|LIKE|RETURN|FILTER|SORT|LIMIT|DISTINCT|INTO|WITH|SEARCH|PRUNE|ANY|ALL|NONE|UPDATE|INSERT|REPLACE|REMOVE|COLLECT|LET|FOR|AGGREGATE|OPTIONS|GRAPH|OUTBOUND|INBOUND|TO|UPSERT|KEEP|WINDOW|LEAST|AT)$/

/** Returns true if a value ends with a node. */
export function isValue(node: Node): boolean {
  if (node.kind === 'operator') return node.children !== undefined || node.text.startsWith('*')
  return node.kind !== 'word' || !BEHIND.test(node.text)
}
