/** The bind parameters of a run from the texts of its form. They are JSON, so that no number loses a digit. */
import type { Algorithm, Parameter } from './algorithm'

/** The texts of the form. */
export interface Form {
  /** The texts by the names of the parameters; none for a default. */
  typed: Record<string, string>
  /** The attribute with the weights of edges; empty for none. */
  weight: string
}

/** The options of a run. */
export interface Options {
  mode: 'stats' | 'estimate' | 'write'
  attribute?: string
  columns?: string[]
}

const NO_OPTIONS = 'null'

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

/**
 * Returns the JSON of a parameter; `undefined` for its default. A text that is no number is sent as
 * it is, because the message of the server says which numbers would be right.
 */
export function jsonOf(parameter: Parameter, typed = ''): string | undefined {
  const text = typed.trim()
  if (text === '' || text === String(parameter.default)) return undefined
  switch (parameter.type) {
    case 'number':
    case 'integer':
      return NUMBER.test(text) ? text : JSON.stringify(text)
    case 'bool':
      return text
    case 'vertices':
      return JSON.stringify(text.split(/\s+/))
    default:
      return JSON.stringify(text)
  }
}

const object = (members: [string, string][]) => `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`

/** Returns the bind parameters of a run without options, as the JSON of an object. */
export function bindsOf(graph: string, { name, parameters }: Algorithm, { typed, weight }: Form): string {
  const given = parameters.flatMap((one): [string, string][] => {
    const json = jsonOf(one, typed[one.name])
    return json === undefined ? [] : [[one.name, json]]
  })
  const vertexAttributes = parameters.filter((one) => one.type === 'attribute').flatMap((one) => typed[one.name]?.trim() || [])
  const source = {
    graph,
    ...(weight.trim() && { weightAttribute: weight.trim() }),
    ...(vertexAttributes.length > 0 && { vertexAttributes }),
  }
  return object([
    ['algorithm', JSON.stringify(name)],
    ['graph', JSON.stringify(Object.keys(source).length > 1 ? source : graph)],
    ['parameters', object(given)],
    ['options', NO_OPTIONS],
  ])
}

/** Returns the bind parameters of a run with options. */
export function withOptions(binds: string, options: Options): string {
  return `${binds.slice(0, -NO_OPTIONS.length - 1)}${JSON.stringify(options)}}`
}

/** Returns bind parameters with one more. */
export function withBind(binds: string, name: string, value: unknown): string {
  return `${binds.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`
}

/** Returns the names of the attributes that a write creates. */
export function writtenNames(columns: string[], attribute: string): string[] {
  if (attribute === '') return columns
  return columns.length === 1 ? [attribute] : columns.map((column) => `${attribute}_${column}`)
}
