/** The routes of the server, as its document in the format of OpenAPI tells them. */
import type { Call, Method } from '../lib/api'

export interface Operation {
  method: Method
  /** The path with names in braces. */
  path: string
  /** The first two segments of the path. */
  family: string
  summary: string
  parameters: { name: string; in: 'path' | 'query' | 'header' }[]
  /** An example of the body; an empty text if there is none. */
  body: string
  mediaType: string
  access: string
  /** True if it works in the database `_system` only. */
  isOfSystem: boolean
}

/** The parts of the document that are read. */
export interface Description {
  paths: Record<string, Record<string, Described>>
}

interface Described {
  tags: string[]
  summary: string
  parameters?: { name: string; in: 'path' | 'query' }[]
  requestBody?: { content: Record<string, { example: unknown }> }
  'x-persea-access': string
  'x-persea-system'?: boolean
}

/** Returns the name of an operation in addresses. */
export const idOf = ({ method, path }: Operation) => `${method} ${path}`

/** Returns all operations in the order of the document. */
export function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => operationOf(path, method, one)))
}

function operationOf(path: string, method: string, described: Described): Operation {
  const [[mediaType, media] = ['application/json', undefined]] = Object.entries(described.requestBody?.content ?? {})
  const example = media?.example
  return {
    method: method.toUpperCase() as Method,
    path,
    family: described.tags[0] ?? '',
    summary: described.summary,
    parameters: described.parameters ?? [],
    body: example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example, null, 2),
    mediaType,
    access: described['x-persea-access'],
    isOfSystem: described['x-persea-system'] ?? false,
  }
}

/** Returns the operations that have all words of a search in their method, path or summary. */
export function search(all: Operation[], text: string): Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter((one) => {
    const searched = `${one.method} ${one.path} ${one.summary}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

/** Returns the request with values of parameters; parameters of the query string that are empty are left out. */
export function callOf(operation: Operation, values: Record<string, string>, body: string): Call {
  const place = (name: string) => {
    const value = values[name] ?? ''
    return name === 'rest' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
  }
  const path = operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => place(name))
  const query = new URLSearchParams(operation.parameters.filter((one) => one.in === 'query' && values[one.name]).map((one) => [one.name, values[one.name] ?? '']))
  const call: Call = { method: operation.method, path: path + (query.size > 0 ? `?${query}` : '') }
  if (operation.isOfSystem) call.database = '_system'
  if (operation.method !== 'GET' && body.trim() !== '') call.text = body
  const headers = operation.parameters.filter((one) => one.in === 'header' && values[one.name]).map((one) => [one.name, values[one.name] ?? ''])
  if (call.text !== undefined && operation.mediaType !== 'application/json') headers.push(['content-type', operation.mediaType])
  if (headers.length > 0) call.headers = Object.fromEntries(headers)
  return call
}
