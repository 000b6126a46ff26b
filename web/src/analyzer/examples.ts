/** Properties to begin with for each type of analyzer. */
export const EXAMPLES: Record<string, Record<string, unknown>> = {
  identity: {},
  text: { locale: 'en', case: 'lower', accent: false, stemming: true, stopwords: [] },
  norm: { locale: 'en', case: 'lower', accent: false },
  stem: { locale: 'en' },
  ngram: { min: 2, max: 3, preserveOriginal: false, streamType: 'utf8' },
  delimiter: { delimiter: ',' },
  multi_delimiter: { delimiters: [',', ';'] },
  segmentation: { break: 'alpha', case: 'lower' },
  stopwords: { stopwords: ['the', 'a'], hex: false },
  collation: { locale: 'en' },
  pipeline: { pipeline: [{ type: 'delimiter', properties: { delimiter: ' ' } }, { type: 'norm', properties: { locale: 'en', case: 'lower' } }] },
  aql: { queryString: 'RETURN LOWER(@param)', collapsePositions: false, keepNull: false },
  geojson: { type: 'shape' },
  geopoint: { latitude: ['lat'], longitude: ['lng'] },
  wildcard: { ngramSize: 3 },
  minhash: { numHashes: 10, analyzer: { type: 'delimiter', properties: { delimiter: ' ' } } },
}
