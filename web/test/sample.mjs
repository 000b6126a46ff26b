// A small shop of films, for pictures of the interface.
import { zip } from './zip.mjs'

const FIRST = ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil', 'Frida', 'Gus', 'Hana', 'Ivo', 'Juno', 'Kofi', 'Lena', 'Milo', 'Nora', 'Otto', 'Pia']
const LAST = ['Abbott', 'Brandt', 'Costa', 'Duval', 'Eriksen', 'Farkas', 'Greco', 'Hansen']
const TITLES = ['Harbour', 'Winter', 'Station', 'Garden', 'Letters', 'Mountain', 'River', 'Orchard', 'Summer', 'Bridge']
const PLACES = [
  ['Lisbon', -9.14, 38.72], ['Bergen', 5.32, 60.39], ['Trieste', 13.77, 45.65], ['Gdańsk', 18.65, 54.35], ['Porto', -8.61, 41.15],
  ['Cork', -8.47, 51.9], ['Lyon', 4.84, 45.76], ['Split', 16.44, 43.51], ['Graz', 15.44, 47.07], ['Turku', 22.27, 60.45],
]

/** A service that lends films. */
const LENDING = {
  'manifest.json': JSON.stringify({
    name: 'lending', version: '1.2.0', description: 'Lends films to persons.', author: 'Ada Abbott', license: 'Apache-2.0', main: 'index.js', engines: { arangodb: '^3.0.0' }, tests: 'test.js',
    configuration: { days: { type: 'integer', default: 14, description: 'Days until a film must be back.' }, currency: { type: 'string', default: 'EUR', description: 'Of all prices.' }, key: { type: 'password', required: false, description: 'Signs receipts.' } },
    dependencies: { mail: { name: 'mail', version: '^1.0.0', required: false, description: 'Reminds of films that are late.' } },
  }),
  'index.js': `const router = require('@arangodb/foxx/router')()
module.context.use(router)
router.get('/films/:key', (req, res) => res.json(require('@arangodb').db.films.document(req.pathParams.key))).pathParam('key').queryParam('language').summary('Returns a film')
router.post('/films/:key/loans', (req, res) => res.status(201).json(req.body)).pathParam('key').body(['application/json']).summary('Lends a film')`,
  'test.js': `const { expect } = require('chai')
describe('a loan', () => {
  it('ends after two weeks', () => expect(14).to.equal(14))
  describe('of a new film', () => it('costs more', () => expect(2).to.equal(3)))
})`,
  'README.md': '# Lending\n\nLends films to persons, and reminds them.\n',
}

/** Fills an empty server. */
export async function fill(server) {
  for (const [name, type] of [['films', 2], ['persons', 2], ['places', 2], ['reviews', 2], ['acted', 3]]) await server.ask('POST', '/_api/collection', { name, type })
  const bindVars = { first: FIRST, last: LAST, titles: TITLES, places: PLACES }
  const statements = [
    'FOR f IN 0..15 FOR l IN 0..7 INSERT { _key: TO_STRING(f * 8 + l), name: CONCAT(@first[f], " ", @last[l]), born: 1940 + (f * 37 + l * 11) % 60 } INTO persons',
    'FOR t IN 0..9 FOR y IN 1..24 INSERT { _key: TO_STRING(t * 24 + y), title: CONCAT(@titles[t], " ", y), year: 1970 + (t * 13 + y * 7) % 55, minutes: 80 + (t * 17 + y * 29) % 80, rating: ROUND(40 + (t * 31 + y * 53) % 60) / 10, genres: [["drama", "comedy", "crime"][y % 3], ["short", "long"][t % 2]] } INTO films',
    'FOR n IN 1..720 INSERT { _from: CONCAT("persons/", (n * 7) % 128), _to: CONCAT("films/", 1 + (n * n + 3 * n) % 240), role: ["lead", "guest", "voice"][n % 3] } INTO acted',
    'FOR p IN @places INSERT { name: p[0], at: GEO_POINT(p[1], p[2]) } INTO places',
    'FOR n IN 1..5000 INSERT { film: CONCAT("films/", 1 + n % 240), stars: 1 + (n * 13) % 5, text: "Worth a second look." } INTO reviews',
  ]
  // Parameters that a query does not have are errors.
  for (const query of statements) await server.query(query, Object.fromEntries(Object.entries(bindVars).filter(([name]) => query.includes(`@${name}`))))
  await server.ask('POST', '/_api/index?collection=films', { type: 'persistent', fields: ['year', 'rating'], name: 'by_year' })
  await server.ask('POST', '/_api/gharial', { name: 'cast', edgeDefinitions: [{ collection: 'acted', from: ['persons'], to: ['films'] }] })
  await server.install('/lending', zip(LENDING))
  await server.ask('POST', '/_api/view', { name: 'texts', type: 'arangosearch', links: { films: { fields: { title: { analyzers: ['text_en'] } } }, reviews: { fields: { text: { analyzers: ['text_en'] } } } } })
}

/** A query whose plan uses an index. */
export const QUERY = `FOR f IN films
  FILTER f.year >= 1990 && f.rating > @least
  LET cast = (FOR p IN 1..1 INBOUND f acted RETURN p.name)
  SORT f.rating DESC, f.title
  RETURN { title: f.title, year: f.year, rating: f.rating, cast }`
