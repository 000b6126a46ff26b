/**
 * A query with a statement on each line.
 *
 * Only white space changes, and keywords become upper case: all tokens and comments keep their
 * order. A text with a mistake in its tokens or brackets stays as it is.
 */
import { KEYWORDS } from './keywords'
import { type Node, parse } from './nodes'
import { needsSpace } from './spaces'
import { type Token, tokens } from './tokens'

/** The widest line, in characters, that a break can avoid. */
const WIDTH = 80
const STEP = '  '

/** Words that begin a line of their own. */
const STATEMENTS = new Set('FOR FILTER SORT LIMIT LET COLLECT RETURN INSERT UPDATE REPLACE REMOVE UPSERT WINDOW SEARCH PRUNE'.split(' '))
/** Words within a statement before which a long one is broken. */
const BREAKS = new Set('AND OR && || AGGREGATE INTO OPTIONS GRAPH KEEP'.split(' '))
/** Words that are functions where no value stands before them. */
const FUNCTIONS = new Set(['COUNT', 'KEEP', 'LIKE'])

const KEYWORD = new Set([...KEYWORDS, 'INBOUND', 'OUTBOUND'])

/** Returns a query in its usual form. */
export function format(query: string): string {
  const found = tokens(query)
  const nodes = found && parse(upper(found))
  if (!nodes || nodes.length === 0) return query
  const writer = new Writer()
  writer.statements(nodes, '')
  return `${writer.text}\n`
}

/** Writes keywords in upper case, where they cannot be names of attributes. */
function upper(all: Token[]): Token[] {
  return all.map((token, index) => {
    const [before, after] = [all[index - 1]?.text, all[index + 1]?.text]
    const word = token.text.toUpperCase()
    if (token.kind !== 'word' || !KEYWORD.has(word) || before === '.' || after === ':') return token
    const isFunction = after === '(' && FUNCTIONS.has(word)
    return isFunction ? token : { ...token, text: word }
  })
}

const isComment = (node: Node) => node.kind.endsWith('comment')
const isStatement = (node: Node) => node.kind === 'word' && STATEMENTS.has(node.text)

/** Returns true if nodes are the statements of a subquery. */
function areStatements(nodes: Node[]): boolean {
  const first = nodes.find((node) => !isComment(node))
  return first !== undefined && (isStatement(first) || (first.kind === 'word' && first.text === 'WITH'))
}

class Writer {
  text = ''
  /** The margin of the next line, if the present one has ended. */
  private pending: string | undefined

  /** Writes statements, each deeper than the FOR before it. */
  statements(nodes: Node[], margin: string) {
    let depth = margin
    for (const statement of split(nodes, isStatement)) {
      const [first] = statement
      // A blank line of the author is kept.
      if (this.text !== '' && !this.text.endsWith('\n') && first && first.breaks > 1) this.text += '\n'
      if (this.text !== '') this.pending ??= depth
      if (this.pending !== undefined) this.pending = depth
      this.sequence(statement, depth)
      if (statement.some((node) => isStatement(node) && node.text === 'FOR')) depth += STEP
    }
  }

  /** Writes a statement or a part of one; lines after the first are deeper. */
  private sequence(nodes: Node[], margin: string) {
    const inner = margin + STEP
    const isLong = !this.fits(nodes)
    let begun = false
    nodes.forEach((node, index) => {
      const before = nodes[index - 1]
      if (isComment(node)) return this.comment(node, before, begun && !nodes.slice(index).every(isComment) ? inner : margin)
      if (isLong && begun && BREAKS.has(node.text)) this.pending = inner
      this.space(before, node)
      // Where a word ends the line, what is in brackets is as deep as the line.
      if (node.children && !this.fits([node])) this.group(node, this.margin())
      else this.add(flat([node]) ?? node.text)
      begun = true
    })
  }

  /** Writes brackets and what is in them, with a line for each element. */
  private group(node: Node, margin: string) {
    const children = node.children ?? []
    const inner = margin + STEP
    this.add(node.text)
    this.pending = inner
    if (node.text === '(' && areStatements(children)) this.statements(children, inner)
    else {
      for (const element of elements(children)) {
        this.pending = inner
        this.sequence(element, inner)
      }
    }
    this.pending = margin
    this.add(node.close ?? '')
  }

  private comment(node: Node, before: Node | undefined, margin: string) {
    if (node.breaks > 0 && this.text !== '') this.pending = margin
    else if (this.pending === undefined && before) this.text += ' '
    else if (this.pending === undefined && this.text !== '' && !/[\s([{]$/.test(this.text)) this.text += ' '
    this.add(node.text)
    if (node.kind === 'line comment' || node.breaks > 0) this.pending = margin
  }

  private space(before: Node | undefined, node: Node) {
    if (before && this.pending === undefined && (isComment(before) || needsSpace(before, node))) this.text += ' '
  }

  private add(text: string) {
    if (this.pending !== undefined && text !== '') {
      if (this.text !== '') this.text += '\n'
      this.text += this.pending
      this.pending = undefined
    }
    this.text += text
  }

  /** Returns the margin of the present line. */
  private margin(): string {
    if (this.pending !== undefined) return this.pending
    return /^ */.exec(this.text.slice(this.text.lastIndexOf('\n') + 1))?.[0] ?? ''
  }

  /** Returns true if nodes fit into the rest of the line. */
  private fits(nodes: Node[]): boolean {
    const text = flat(nodes)
    const used = this.pending?.length ?? this.text.length - this.text.lastIndexOf('\n') - 1
    return text !== undefined && used + text.length <= WIDTH
  }
}

/** Returns nodes on one line, or `undefined` if a comment ends a line among them. */
function flat(nodes: Node[]): string | undefined {
  let text = ''
  for (const [index, node] of nodes.entries()) {
    const before = nodes[index - 1]
    if (node.kind === 'line comment' || (isComment(node) && node.breaks > 0)) return undefined
    if (before && (isComment(before) || isComment(node) || needsSpace(before, node))) text += ' '
    text += node.text
    if (!node.children) continue
    const inner = flat(node.children)
    if (inner === undefined) return undefined
    text += node.text === '{' && inner !== '' ? ` ${inner} ${node.close}` : inner + node.close
  }
  return text
}

/** Splits nodes before those that begin a part. Comments above such a node belong to its part. */
function split(nodes: Node[], begins: (node: Node) => boolean): Node[][] {
  const parts: Node[][] = [[]]
  let comments: Node[] = []
  for (const node of nodes) {
    const last = parts.at(-1) as Node[]
    if (isComment(node) && (node.breaks > 0 || comments.length > 0)) comments.push(node)
    else if (begins(node)) {
      parts.push([...comments, node])
      comments = []
    } else {
      last.push(...comments, node)
      comments = []
    }
  }
  parts.at(-1)?.push(...comments)
  return parts.filter((part) => part.length > 0)
}

/** Splits the inside of brackets behind its commas. A comment behind a comma belongs to the element before. */
function elements(nodes: Node[]): Node[][] {
  const parts: Node[][] = [[]]
  nodes.forEach((node, index) => {
    const before = nodes[index - 1]
    const isBehind = isComment(node) && node.breaks === 0 && before?.text === ','
    if (before?.text === ',' && !isBehind) parts.push([])
    parts.at(-1)?.push(node)
    if (isBehind && index < nodes.length - 1) parts.push([])
  })
  return parts.filter((part) => part.length > 0)
}
