/** AQL for the editor: how its text is coloured. */
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting, type StringStream } from '@codemirror/language'
import { tags } from '@lezer/highlight'
import { KEYWORDS } from './keywords'

const KEYWORD = new Set(KEYWORDS)
const CONSTANTS = new Set(['TRUE', 'FALSE', 'NULL', 'CURRENT', 'NEW', 'OLD'])

interface State {
  /** The end of a comment or quoted text that goes on in the next line. */
  until: string | null
}

function token(stream: StringStream, state: State): string | null {
  if (state.until !== null) return finish(stream, state)
  if (stream.eatSpace()) return null
  if (stream.match('//')) {
    stream.skipToEnd()
    return 'lineComment'
  }
  if (stream.match('/*')) return finish(stream, { ...state, until: '*/' }, state)
  const quote = stream.match(/^["'`´]/) as RegExpMatchArray | null
  if (quote) return finish(stream, { ...state, until: quote[0] }, state)
  if (stream.match(/^@@?\w+/)) return 'special'
  if (stream.match(/^(0x[\da-f]+|0b[01]+|\d+(\.\d+)?(e[+-]?\d+)?|\.\d+)/i)) return 'number'
  const word = stream.match(/^[A-Za-z_$][\w$]*(::\w+)*/) as RegExpMatchArray | null
  if (word) return wordStyle(word[0], stream)
  stream.next()
  return null
}

function wordStyle(word: string, stream: StringStream): string {
  const isAttribute = stream.string.charAt(stream.start - 1) === '.' && stream.string.charAt(stream.start - 2) !== '.'
  if (isAttribute) return 'propertyName'
  if (stream.match(/^\s*\(/, false) && !KEYWORD.has(word.toUpperCase())) return 'function'
  if (KEYWORD.has(word.toUpperCase())) return 'keyword'
  return CONSTANTS.has(word.toUpperCase()) ? 'atom' : 'variableName'
}

/** Reads on to the end of a comment or quoted text. */
function finish(stream: StringStream, found: State, state: State = found): string {
  const until = found.until ?? ''
  const style = until === '*/' ? 'blockComment' : until === '"' || until === "'" ? 'string' : 'variableName'
  state.until = until
  while (!stream.eol()) {
    if (stream.match(until)) {
      state.until = null
      break
    }
    if (stream.next() === '\\' && until !== '*/') stream.next()
  }
  return style
}

const aqlLanguage = StreamLanguage.define<State>({
  name: 'aql',
  startState: () => ({ until: null }),
  copyState: (state) => ({ ...state }),
  token,
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } }, closeBrackets: { brackets: ['(', '[', '{', '"', "'", '`'] } },
  tokenTable: { function: tags.function(tags.variableName), special: tags.special(tags.variableName) },
})

/** The language of queries. */
export const aql = new LanguageSupport(aqlLanguage)

/** The colours of AQL and JSON, by the variables of the page's style. */
export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
    { tag: [tags.number, tags.atom, tags.bool, tags.null], color: 'var(--code-number)' },
    { tag: [tags.lineComment, tags.blockComment], color: 'var(--muted)', fontStyle: 'italic' },
    { tag: tags.function(tags.variableName), color: 'var(--code-function)' },
    { tag: tags.special(tags.variableName), color: 'var(--code-parameter)' },
    { tag: tags.propertyName, color: 'var(--code-name)' },
  ]),
)
