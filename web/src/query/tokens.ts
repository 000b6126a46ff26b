/** The tokens of AQL, with their comments, for the formatter. */

export type Kind = 'word' | 'quoted' | 'text' | 'number' | 'parameter' | 'operator' | 'line comment' | 'block comment'

export interface Token {
  kind: Kind
  text: string
  /** Line breaks before the token. */
  breaks: number
}

/** The longest alternative of each kind stands first. */
const PATTERNS: [Kind, RegExp][] = [
  ['line comment', /\/\/[^\r\n]*/y],
  ['block comment', /\/\*[\s\S]*?\*\//y],
  ['text', /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y],
  ['quoted', /`(?:[^`\\]|\\[\s\S])*`|´(?:[^´\\]|\\[\s\S])*´/y],
  ['parameter', /@@?\w+/y],
  ['number', /0x[\da-f]+|0b[01]+|(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?/iy],
  ['word', /[A-Za-z_$][\w$]*(?:::[\w$]+)*/y],
  ['operator', /\.\.|\*\*|==|!=|<=|>=|=~|!~|&&|\|\||\?:|[-+*/%<>=!?:.,()[\]{}]/y],
]

/** Returns the tokens of a query, or `undefined` if it has something that is none. */
export function tokens(query: string): Token[] | undefined {
  const found: Token[] = []
  let at = 0
  while (at < query.length) {
    const space = /\s*/y
    space.lastIndex = at
    const gap = space.exec(query)?.[0] ?? ''
    at += gap.length
    if (at >= query.length) break
    const next = tokenAt(query, at)
    if (!next) return undefined
    at += next.text.length
    found.push({ ...next, text: next.text.trimEnd(), breaks: gap.split('\n').length - 1 })
  }
  return found
}

function tokenAt(query: string, at: number): Pick<Token, 'kind' | 'text'> | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at
    const text = pattern.exec(query)?.[0]
    if (text) return { kind, text }
  }
  return undefined
}
