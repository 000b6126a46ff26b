/** Expressions of plans as AQL. */

/** A node of a syntax tree, as the server's plans have it. */
export interface Ast {
  type: string
  name?: string
  value?: unknown
  subNodes?: Ast[]
  raw?: unknown
  [attribute: string]: unknown
}

const UNARY: Record<string, string> = { 'unary not': 'NOT ', 'unary minus': '-', 'unary plus': '+' }

const WORDS: Record<string, string> = {
  'logical and': 'AND',
  'logical or': 'OR',
  'compare in': 'IN',
  'compare not in': 'NOT IN',
  plus: '+',
  minus: '-',
  times: '*',
  division: '/',
  modulus: '%',
}

/** Returns the name of a variable, where that is another than its own. */
export type Names = (variable: { id?: unknown; name?: string }) => string | undefined

/** Returns an expression as AQL. Parts that it does not know are in angle brackets. */
export function expressionText(node: Ast | undefined, names: Names = () => undefined): string {
  // The server describes an empty condition as an object without a type.
  if (!node?.type) return ''
  const parts = node.subNodes ?? []
  const text = (one: Ast | undefined) => expressionText(one, names)
  const part = (index: number) => text(parts[index])
  const list = (separator: string) => parts.map(text).join(separator)
  switch (node.type) {
    case 'value':
      return shortened(JSON.stringify(node.value))
    case 'reference':
    case 'variable':
      return names(node) ?? node.name ?? ''
    case 'parameter':
      return `@${node.name}`
    case 'attribute access':
      return `${bracketed(parts[0], names)}.${quoted(node.name ?? '')}`
    case 'indexed access':
    case 'bound attribute access':
      return `${bracketed(parts[0], names)}[${part(1)}]`
    case 'function call':
      return `${node.name}(${parts[0]?.type === 'array' ? argumentsOf(parts[0], names) : list(', ')})`
    case 'array':
      return node.raw === undefined ? `[${list(', ')}]` : shortened(JSON.stringify(node.raw))
    case 'object':
      return node.raw === undefined ? `{${list(', ')}}` : shortened(JSON.stringify(node.raw))
    case 'object element':
      return `${quoted(node.name ?? '')}: ${part(0)}`
    case 'calculated object element':
      return `[${part(0)}]: ${part(1)}`
    case 'range':
      return `${part(0)}..${part(1)}`
    case 'ternary':
      return parts.length === 2 ? `${part(0)} ?: ${part(1)}` : `${part(0)} ? ${part(1)} : ${part(2)}`
    case 'n-ary and':
      return list(' AND ')
    case 'n-ary or':
      return list(' OR ')
    case 'collection':
      return node.name ?? ''
    case 'expansion':
      return expansionText(node, names)
  }
  const unary = UNARY[node.type]
  if (unary !== undefined) return unary + bracketed(parts[0], names)
  const word = WORDS[node.type] ?? /^(?:array )?compare (.+)$/.exec(node.type)?.[1]?.toUpperCase()
  if (!word || parts.length < 2) return `<${node.type}>`
  const quantifier = parts[2]?.type === 'quantifier' ? `${quantifierText(parts[2], names)} ` : ''
  // A chain of one operator, such as AND, needs no brackets.
  const left = node.type.startsWith('logical') && parts[0]?.type === node.type ? part(0) : bracketed(parts[0], names)
  return `${left} ${quantifier}${word} ${bracketed(parts[1], names)}`
}

function argumentsOf({ subNodes = [], raw }: Ast, names: Names): string {
  if (Array.isArray(raw)) return raw.map((one) => shortened(JSON.stringify(one))).join(', ')
  return subNodes.map((one) => expressionText(one, names)).join(', ')
}

/** Returns `ALL`, or `AT LEAST (2)`. */
function quantifierText({ quantifier, subNodes = [] }: Ast, names: Names): string {
  const number = expressionText(subNodes[0], names)
  if (quantifier === 'exactly') return number
  return String(quantifier).toUpperCase() + (number && ` (${number})`)
}

/**
 * Returns an expansion such as `d.list[* FILTER CURRENT.n > 1].name`. Its nodes are the variable and
 * the array that it runs over, the variable or a quantifier, a filter, a limit and a projection.
 */
function expansionText({ levels, booleanize, subNodes = [] }: Ast, names: Names): string {
  const [iterator, second, ...others] = subNodes
  const [variable, array] = iterator?.subNodes ?? []
  const isOwn = (one: { id?: unknown; name?: string }) => one.id !== undefined && one.id === variable?.id
  const inside: Names = (one) => (isOwn(one) ? 'CURRENT' : names(one))
  const words: string[] = []
  if (second?.type === 'quantifier') words.push(quantifierText(second, inside))
  const limit = others.find((one) => one.type === 'array limit')
  const isFirstFilter = others[0] && !['no-op', 'array limit'].includes(others[0].type)
  const filter = isFirstFilter && (booleanize || others.length === 3) ? others[0] : undefined
  if (filter) words.push('FILTER', expressionText(filter, inside))
  if (limit) words.push('LIMIT', (limit.subNodes ?? []).map((one) => expressionText(one, inside)).filter((text, at) => at > 0 || text !== '0').join(', '))
  const projection = others.length === 3 && others[2]?.type !== 'no-op' ? others[2] : undefined
  const isPath = projection === undefined || isPathOf(projection, isOwn)
  if (projection && !isPath) words.push('RETURN', expressionText(projection, inside))
  const operator = booleanize ? '?' : '*'.repeat(Number(levels ?? 1))
  const expanded = `${bracketed(array, names)}[${[operator, ...words].join(' ')}]`
  return projection && isPath ? expressionText(projection, (one) => (isOwn(one) ? expanded : names(one))) : expanded
}

/** Returns true for attributes of attributes of the variable. */
function isPathOf(node: Ast | undefined, isOwn: (node: Ast) => boolean): boolean {
  if (node?.type === 'attribute access') return isPathOf(node.subNodes?.[0], isOwn)
  return node?.type === 'reference' && isOwn(node)
}

/** Returns an expression, in brackets if it has an operator. */
export function bracketed(node: Ast | undefined, names?: Names): string {
  const isCompound = node && (node.type in WORDS || /^(compare|array compare|ternary|range|n-ary)/.test(node.type))
  return isCompound ? `(${expressionText(node, names)})` : expressionText(node, names)
}

/** Returns a value's text, without its middle if it is long. */
function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 50)} … ${text.slice(-20)}` : text
}

/** Returns the name of an attribute as AQL. */
export function quoted(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll('`', '\\`')}\``
}
