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

/** Returns an expression as AQL. Parts that it does not know are in angle brackets. */
export function expressionText(node: Ast | undefined): string {
  if (!node) return ''
  const parts = node.subNodes ?? []
  const part = (index: number) => expressionText(parts[index])
  const list = (separator: string) => parts.map(expressionText).join(separator)
  switch (node.type) {
    case 'value':
      return shortened(JSON.stringify(node.value))
    case 'reference':
    case 'variable':
      return node.name ?? ''
    case 'parameter':
      return `@${node.name}`
    case 'attribute access':
      return `${part(0)}.${quoted(node.name ?? '')}`
    case 'indexed access':
    case 'bound attribute access':
      return `${part(0)}[${part(1)}]`
    case 'function call':
      return `${node.name}(${parts[0]?.type === 'array' ? parts[0].subNodes?.map(expressionText).join(', ') ?? '' : list(', ')})`
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
      return `${part(0)}[*]`
  }
  const unary = UNARY[node.type]
  if (unary !== undefined) return unary + bracketed(parts[0])
  const word = WORDS[node.type] ?? /^compare (\S+)$/.exec(node.type)?.[1]
  if (word && parts.length >= 2) return `${bracketed(parts[0])} ${word} ${bracketed(parts[1])}`
  return `<${node.type}>`
}

/** Returns an expression, in brackets if it has an operator. */
function bracketed(node: Ast | undefined): string {
  const isCompound = node && (WORDS[node.type] ?? (/^(compare|ternary|n-ary)/.test(node.type) || undefined))
  return isCompound ? `(${expressionText(node)})` : expressionText(node)
}

/** Returns a value's text, without its middle if it is long. */
function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 50)} … ${text.slice(-20)}` : text
}

function quoted(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll('`', '\\`')}\``
}
