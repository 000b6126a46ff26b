/** Completion in the query editor. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { signal } from '@preact/signals'
import { database } from '../lib/address'
import { ask, whenUserChanges } from '../lib/session'
import { KEYWORDS } from './keywords'
import { argumentsText, variables } from './words'

interface Builtin {
  name: string
  arguments: string
}

const functions = signal<Builtin[]>([])
const collections = signal<{ database: string; names: string[] }>({ database: '', names: [] })
const samples = new Map<string, Promise<string[]>>()

whenUserChanges(() => {
  collections.value = { database: '', names: [] }
  samples.clear()
})

/** The names of the collections for completion and forms. */
export async function collectionNames(): Promise<string[]> {
  type Reply = { result: { name: string; isSystem: boolean }[] }
  const { result } = await ask<Reply>({ method: 'GET', path: '/_api/collection' }, { quiet: true })
  const names = result.filter((one) => !one.isSystem).map((one) => one.name).sort()
  collections.value = { database: database.value, names }
  return names
}

async function load() {
  if (functions.value.length === 0) {
    functions.value = (await ask<{ functions: Builtin[] }>({ method: 'GET', path: '/_api/aql-builtin' }, { quiet: true })).functions
  }
  if (collections.value.database !== database.value) await collectionNames()
}

/** Returns the attributes of a few documents of a collection. */
function attributesOf(collection: string): Promise<string[]> {
  const key = `${database.value}/${collection}`
  const query = 'RETURN UNIQUE(FLATTEN((FOR d IN @@collection LIMIT 50 RETURN ATTRIBUTES(d))))'
  const body = { query, bindVars: { '@collection': collection } }
  const sampled = samples.get(key) ?? ask<{ result: string[][] }>({ method: 'POST', path: '/_api/cursor', body }, { quiet: true })
    .then((reply) => reply.result[0] ?? [])
    .catch(() => [])
  samples.set(key, sampled)
  return sampled
}

/** Completes keywords, functions, collections, variables, attributes and bind parameters. */
export function completer(bindParameters: () => string[]) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const query = context.state.doc.toString()
    const attribute = context.matchBefore(/\b\w+\.\w*/)
    if (attribute) {
      const [variable = '', typed = ''] = attribute.text.split('.')
      const collection = variables(query).get(variable)
      if (!collection) return null
      const options = (await attributesOf(collection)).map((label) => ({ label, type: 'property' }))
      return { from: attribute.to - typed.length, options, validFor: /^\w*$/ }
    }
    const parameter = context.matchBefore(/@@?\w*/)
    if (parameter) return { from: parameter.from, options: bindParameters().map((name) => ({ label: `@${name}`, type: 'constant' })) }
    const word = context.matchBefore(/\w+/)
    if (!word && !context.explicit) return null
    await load().catch(() => {})
    // The answer of the server may come after the user has left the editor or run the query.
    if (context.aborted || context.view?.hasFocus === false) return null
    return { from: word?.from ?? context.pos, options: words(query), validFor: /^\w*$/ }
  }
}

function words(query: string): Completion[] {
  return [
    ...[...variables(query).keys()].map((label) => ({ label, type: 'variable', boost: 3 })),
    ...KEYWORDS.map((label) => ({ label, type: 'keyword', boost: 2 })),
    ...collections.value.names.map((label) => ({ label: collectionName(label), type: 'class', detail: 'collection', boost: 1 })),
    ...functions.value.map((one) => ({ label: one.name, type: 'function', detail: argumentsText(one.arguments), apply: `${one.name}(` })),
  ]
}

function collectionName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``
}
