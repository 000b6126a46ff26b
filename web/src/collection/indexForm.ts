/** The properties of indexes by their type, and the definition that a form makes. */

interface IndexType {
  hint?: string
  /** A flag with which the index needs no fields. */
  all?: string
  /** The names of texts that stand in `params`. */
  params?: string[]
  /** The names of texts that must not be empty. */
  required?: string[]
  flags: [string, string][]
  texts: [string, string][]
}

const UNIQUE: [string, string] = ['unique', 'Unique']
const SPARSE: [string, string] = ['sparse', 'Sparse: without documents that lack the fields']
const STORED: [string, string] = ['storedValues', 'Stored values: additional attributes']
const BACKGROUND: [string, string] = ['inBackground', 'Build in the background']

export const TYPES: Record<string, IndexType> = {
  persistent: {
    flags: [UNIQUE, SPARSE, ['cacheEnabled', 'Cache recent lookups in memory'], BACKGROUND],
    texts: [STORED],
  },
  geo: { hint: 'One field with a point or GeoJSON, or two with latitude and longitude.', flags: [['geoJson', 'GeoJSON: longitude before latitude'], BACKGROUND], texts: [] },
  ttl: { hint: 'One field with a time in seconds, or an ISO 8601 date.', flags: [BACKGROUND], texts: [['expireAfter', 'Seconds until a document expires']] },
  fulltext: { hint: 'One field.', flags: [BACKGROUND], texts: [['minLength', 'Minimum word length']] },
  mdi: { hint: 'Numeric fields.', flags: [UNIQUE, SPARSE, BACKGROUND], texts: [STORED] },
  inverted: {
    hint: 'Fields to search. Leave empty to search all attributes.',
    all: 'includeAllFields',
    flags: [['includeAllFields', 'Include all attributes, also nested ones'], ['searchField', 'Index array elements as separate values, as views do'], ['trackListPositions', 'Track the positions of these elements'], BACKGROUND],
    texts: [['analyzer', 'Analyzer'], STORED],
  },
  vector: {
    hint: 'One field with an array of numbers.',
    params: ['metric', 'dimension', 'nLists', 'defaultNProbe', 'trainingIterations'],
    required: ['metric', 'dimension'],
    flags: [SPARSE, BACKGROUND],
    texts: [['metric', 'Metric'], ['dimension', 'Dimension: elements of each vector'], ['nLists', 'Lists: the server chooses if it is empty'], ['defaultNProbe', 'Lists to search in a query'], ['trainingIterations', 'Iterations of the training'], STORED],
  },
  'mdi-prefixed': { hint: 'Numeric fields.', flags: [UNIQUE, SPARSE, BACKGROUND], texts: [['prefixFields', 'Prefix fields: compared for equality'], STORED] },
}

/** The texts that are numbers. */
export const NUMBERS = new Set(['expireAfter', 'minLength', 'dimension', 'nLists', 'defaultNProbe', 'trainingIterations'])

/** The values to choose from, each with its title. */
export const CHOICES: Record<string, [string, string][]> = {
  metric: [
    ['cosine', 'cosine: the angle'],
    ['l2', 'l2: the distance'],
    ['innerProduct', 'innerProduct: the dot product'],
  ],
}
const WORDS = new Set(['analyzer', 'metric'])

export interface IndexForm {
  type: string
  name: string
  /** Paths with commas between them. */
  fields: string
  flags: Record<string, boolean>
  texts: Record<string, string>
}

const list = (text: string) => text.split(',').map((one) => one.trim()).filter(Boolean)

/** Returns true if the form says what to index. */
export function isComplete(form: IndexForm): boolean {
  const all = TYPES[form.type]?.all
  const isFilled = (name: string) => (form.texts[name]?.trim() ?? '') !== ''
  if (!(TYPES[form.type]?.required ?? []).every(isFilled)) return false
  return form.fields.trim() !== '' || (all !== undefined && form.flags[all] === true)
}

/** Returns the definition of an index. Attributes that its type lacks are left out. */
export function definition(form: IndexForm): Record<string, unknown> {
  const type = TYPES[form.type]
  const all: Record<string, unknown> = { type: form.type, fields: list(form.fields) }
  if (form.name.trim() !== '') all.name = form.name.trim()
  for (const [flag] of type?.flags ?? []) if (form.flags[flag]) all[flag] = true
  for (const [name] of type?.texts ?? []) {
    const text = form.texts[name]?.trim() ?? ''
    if (text === '') continue
    const value = NUMBERS.has(name) ? Number(text) : WORDS.has(name) ? text : list(text)
    if (type?.params?.includes(name)) all.params = { ...(all.params as object), [name]: value }
    else all[name] = value
  }
  if (form.type.startsWith('mdi')) all.fieldValueTypes = 'double'
  return all
}
