/** The properties of indexes by their type, and the definition that a form makes. */

interface IndexType {
  hint?: string
  flags: [string, string][]
  texts: [string, string][]
}

const UNIQUE: [string, string] = ['unique', 'Unique']
const SPARSE: [string, string] = ['sparse', 'Sparse: without documents that lack the fields']
const STORED: [string, string] = ['storedValues', 'Stored values: further attributes']
const BACKGROUND: [string, string] = ['inBackground', 'Build in the background']

export const TYPES: Record<string, IndexType> = {
  persistent: {
    flags: [UNIQUE, SPARSE, ['cacheEnabled', 'Keep recent look-ups in memory'], BACKGROUND],
    texts: [STORED],
  },
  geo: { hint: 'One field with a point or GeoJSON, or two with latitude and longitude.', flags: [['geoJson', 'GeoJSON: longitude before latitude'], BACKGROUND], texts: [] },
  ttl: { hint: 'One field with a time in seconds, or an ISO 8601 date.', flags: [BACKGROUND], texts: [['expireAfter', 'Seconds until a document expires']] },
  fulltext: { hint: 'One field.', flags: [BACKGROUND], texts: [['minLength', 'Shortest word']] },
  mdi: { hint: 'Fields with numbers.', flags: [UNIQUE, SPARSE, BACKGROUND], texts: [STORED] },
  'mdi-prefixed': { hint: 'Fields with numbers.', flags: [UNIQUE, SPARSE, BACKGROUND], texts: [['prefixFields', 'Prefix fields: compared for equality'], STORED] },
}

/** Definitions to begin with, of types that have no form. */
export const EXAMPLES: Record<string, object> = {
  inverted: { fields: ['text'], analyzer: 'text_en' },
  vector: { fields: ['embedding'], params: { metric: 'cosine', dimension: 128, nLists: 100 } },
}

const NUMBERS = new Set(['expireAfter', 'minLength'])

export interface IndexForm {
  type: string
  name: string
  /** Paths with commas between them. */
  fields: string
  flags: Record<string, boolean>
  texts: Record<string, string>
}

const list = (text: string) => text.split(',').map((one) => one.trim()).filter(Boolean)

/** Returns the definition of an index. Attributes that its type lacks are left out. */
export function definition(form: IndexForm): Record<string, unknown> {
  const type = TYPES[form.type]
  const all: Record<string, unknown> = { type: form.type, fields: list(form.fields) }
  if (form.name.trim() !== '') all.name = form.name.trim()
  for (const [flag] of type?.flags ?? []) if (form.flags[flag]) all[flag] = true
  for (const [name] of type?.texts ?? []) {
    const text = form.texts[name]?.trim() ?? ''
    if (text !== '') all[name] = NUMBERS.has(name) ? Number(text) : list(text)
  }
  if (form.type.startsWith('mdi')) all.fieldValueTypes = 'double'
  return all
}
