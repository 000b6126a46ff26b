/** The algorithms over whole graphs, as the server describes them. */
import { ask } from '../lib/session'

export interface Parameter {
  name: string
  about: string
  type: 'number' | 'integer' | 'bool' | 'choice' | 'vertex' | 'vertices' | 'attribute'
  /** The values that it accepts, in words. */
  values: string
  default?: number | boolean | string
  /** The words of a choice. */
  words?: string[]
}

export interface Algorithm {
  name: string
  about: string
  definition: string
  parameters: Parameter[]
  columns: string[]
  /** True if the result has a row for each vertex. */
  byVertex: boolean
}

export async function loadAlgorithms(signal: AbortSignal): Promise<Algorithm[]> {
  return (await ask<{ algorithms: Algorithm[] }>({ method: 'GET', path: '/_api/analytics/algorithms' }, { quiet: true, signal })).algorithms
}
