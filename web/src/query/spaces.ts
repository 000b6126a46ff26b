/** The spaces between the tokens of a query. */
import { isValue, type Node } from './nodes'

const isOperator = (node: Node, text: string) => node.kind === 'operator' && node.text === text

/** Returns true if a space stands between two nodes on one line. */
export function needsSpace(before: Node, node: Node): boolean {
  if (isOperator(node, ',')) return false
  if (isOperator(before, ',')) return true
  if (['.', '..'].some((dot) => isOperator(before, dot) || isOperator(node, dot))) return false
  if (isOperator(node, ':') && !node.isTernary) return false
  // Two signs stay apart.
  if (before.isPrefix) return node.isPrefix === true && before.text === node.text
  if (isOperator(node, '(')) return !isFunction(before)
  if (isOperator(node, '[')) return !isValue(before) || isStar(before)
  return true
}

/** Words that stand before brackets and are no functions. */
const WORDS = /^(AND|OR|NOT|IN|RETURN|FILTER|SORT|LIMIT|DISTINCT|INTO|WITH|SEARCH|PRUNE|UPDATE|INSERT|REPLACE|REMOVE|LET|LEAST|COLLECT|AGGREGATE|TO|OUTBOUND|INBOUND|ALL|ANY|NONE|ASC|DESC)$/

function isFunction(node: Node): boolean {
  return (node.kind === 'word' && !WORDS.test(node.text)) || node.kind === 'quoted'
}

const isStar = (node: Node) => node.kind === 'operator' && node.text.startsWith('*')
