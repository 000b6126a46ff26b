// Every page with every type of index, view, graph and Analyzer, with each engine that needs no
// cluster, and parts of pages that fail.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs } from './browser.mjs'
import { Server } from './server.mjs'

const INDEXES = [
  { type: 'persistent', fields: ['a'], storedValues: ['b'], cacheEnabled: true },
  { type: 'geo', fields: ['at'], geoJson: true },
  { type: 'ttl', fields: ['until'], expireAfter: 1_000_000_000 },
  { type: 'fulltext', fields: ['text'], minLength: 3 },
  { type: 'mdi', fields: ['x', 'y'], fieldValueTypes: 'double' },
  { type: 'mdi-prefixed', fields: ['x', 'y'], prefixFields: ['a'], fieldValueTypes: 'double' },
  { type: 'zkd', fields: ['y', 'z'], fieldValueTypes: 'double' },
  { type: 'hash', fields: ['h'] },
  { type: 'skiplist', fields: ['s'] },
  { type: 'inverted', name: 'words', fields: ['text', { name: 'list', nested: [{ name: 'n' }] }], analyzer: 'text_en' },
  { type: 'inverted', name: 'all', fields: [], includeAllFields: true },
  { type: 'vector', fields: ['v'], params: { metric: 'l2', dimension: 2, nLists: 2 } },
]

const ANALYZERS = [
  { name: 'a_norm', type: 'norm', properties: { locale: 'en', case: 'lower', accent: false } },
  { name: 'a_ngram', type: 'ngram', properties: { min: 2, max: 3, preserveOriginal: true } },
  { name: 'a_aql', type: 'aql', properties: { queryString: 'RETURN LOWER(@param)' } },
  { name: 'a_pipeline', type: 'pipeline', properties: { pipeline: [{ type: 'norm', properties: { locale: 'en', case: 'upper' } }, { type: 'delimiter', properties: { delimiter: ' ' } }] } },
  { name: 'a_geo', type: 'geojson', properties: {} },
  { name: 'a_stop', type: 'stopwords', properties: { stopwords: ['a'], hex: false } },
]

/** The storage engines that need no other servers. */
const ENGINES = ['rocksdb', 'mmfiles', 'memory']

for (const engine of ENGINES) {
  describe(`pages of a server with ${engine}`, () => {
    let server, browser
    before(async () => {
      ;[server, browser] = await Promise.all([Server.start({ options: ['--storage-engine', engine] }), launch()])
      await server.ask('POST', '/_api/collection', { name: 'docs' })
      await server.query('FOR i IN 1..50 INSERT { _key: TO_STRING(i), a: i, at: [i / 10, 1], text: "some words", x: i, y: i, z: i, v: [i, 1] } INTO docs')
      for (const index of INDEXES) {
        const made = await server.ask('POST', '/_api/index?collection=docs', index)
        assert.equal(made.error, false, `${index.type}: ${made.errorMessage}`)
      }
      for (const analyzer of ANALYZERS) assert.equal((await server.ask('POST', '/_api/analyzer', analyzer)).status, 201, analyzer.name)
      await server.ask('POST', '/_api/view', { name: 'linked', type: 'arangosearch', links: { docs: { includeAllFields: true, fields: { text: { analyzers: ['text_en', 'a_norm'] } } } }, primarySort: [{ field: 'a', direction: 'asc' }], storedValues: [['text']] })
      await server.ask('POST', '/_api/view', { name: 'empty', type: 'arangosearch' })
      await server.ask('POST', '/_api/view', { name: 'aliased', type: 'search-alias', indexes: [{ collection: 'docs', index: 'words' }] })
      await server.ask('POST', '/_api/gharial', { name: 'two', edgeDefinitions: [{ collection: 'ties', from: ['docs'], to: ['docs', 'others'] }, { collection: 'more', from: ['others'], to: ['docs'] }], orphanCollections: ['alone'] })
      await server.ask('POST', '/_api/gharial', { name: 'bare', edgeDefinitions: [] })
      await server.query('FOR i IN 1..9 INSERT { _from: CONCAT("docs/", i), _to: CONCAT("docs/", i + 1) } INTO ties')
    })
    after(() => Promise.all([browser?.close(), server?.stop()]))

    /** Opens pages one after another; each must show a text and no error. */
    async function visit(pages) {
      const page = await openAs(browser, server, 'root', '#collections')
      for (const [address, text] of pages) {
        await page.evaluate((hash) => (location.hash = hash), address)
        await page.locator('main').getByText(text, { exact: false }).first().waitFor()
        assert.equal(await page.getByRole('alert').count(), 0, address)
        await check(page)
      }
      return page
    }

    it('show every type of index with its size', async () => {
      const page = await visit([['#collection/docs/indexes', 'words']])
      for (const type of new Set(INDEXES.map((index) => index.type))) await page.getByRole('cell', { name: new RegExp(`^${type}`) }).first().waitFor()
      await page.getByRole('cell', { name: 'list' }).first().waitFor()
      const sizes = await page.getByRole('row').locator('td:nth-child(7)').allInnerTexts()
      assert.ok(sizes.length > INDEXES.length && sizes.every((size) => /^[\d.]+ [kMG]?B$/.test(size)), sizes.join())
      await page.getByRole('button', { name: 'Size' }).click()
      await check(page)
      await page.close()
    })

    it('make a vector index by choices', async () => {
      await server.ask('POST', '/_api/collection', { name: 'vectors' })
      const page = await openAs(browser, server, 'root', '#collection/vectors/indexes')
      await page.getByRole('button', { name: 'New index' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Type').selectOption('vector')
      await dialog.getByRole('combobox', { name: 'Fields' }).fill('at')
      await dialog.getByLabel('Metric').selectOption('l2')
      assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true)
      await dialog.getByLabel('Dimension').fill('2')
      await check(page)
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('cell', { name: 'vector: not enough training data' }).waitFor()
      const { indexes } = await server.ask('GET', '/_api/index?collection=vectors')
      assert.deepEqual([indexes[1].params.metric, indexes[1].params.dimension], ['l2', 2])
      await check(page)
      await page.close()
    })

    it('show every view, graph and Analyzer', async () => {
      const page = await visit([
        ['#views', 'aliased'],
        ['#view/linked', 'All attributes'],
        ['#view/empty', 'arangosearch'],
        ['#view/aliased', 'docs / words'],
        ['#graphs', 'bare'],
        ['#graph/two', 'Fit'],
        ['#graph/bare', 'The graph has no edges to show.'],
        ['#analyzers', '"queryString"'],
        ['#collection/docs/documents', 'docs/1'],
        ['#collection/docs/documents/7', '"some words"'],
        ['#collection/docs/properties', 'Size of documents'],
        ['#collection/ties/properties', 'edges'],
        ['#collection/ties/indexes', 'edge'],
        ['#collection/docs/schema', 'JSON Schema'],
      ])
      await page.evaluate(() => (location.hash = '#analyzers'))
      await page.getByRole('textbox', { name: 'Text' }).fill('Some words')
      for (const { name, type } of ANALYZERS.filter((one) => one.type !== 'geojson')) {
        await page.getByRole('combobox', { name: 'Try' }).selectOption(`_system::${name}`)
        await page.getByRole('status', { name: 'Tokens' }).locator('.chip').first().waitFor()
        assert.equal(await page.getByRole('alert').count(), 0, type)
      }
      await check(page)
      await page.close()
    })

    it('show the failure of a part in its place, and the rest', async () => {
      const page = await openAs(browser, server, 'root', '#collection/docs/documents')
      await page.getByRole('link', { name: 'docs/1', exact: true }).waitFor()
      await page.route('**/_api/collection/docs/figures', (route) => route.fulfill({ json: { name: 'docs' } }))
      await page.getByRole('link', { name: 'Properties' }).click()
      await page.getByRole('alert').getByText('This part cannot be shown').waitFor()
      await check(page)
      await page.unroute('**/_api/collection/docs/figures')
      await page.getByRole('link', { name: 'Indexes' }).click()
      await page.getByRole('cell', { name: 'words', exact: true }).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
      // A cell that fails leaves the other cells.
      await page.route('**/_api/index?*', async (route) => {
        const reply = await (await route.fetch()).json()
        reply.indexes[1].fields = null
        await route.fulfill({ json: reply })
      })
      await page.getByRole('link', { name: 'Properties' }).click()
      await page.getByText('Size of documents').waitFor()
      await page.getByRole('link', { name: 'Indexes' }).click()
      await page.getByRole('cell', { name: 'error', exact: true }).waitFor()
      await page.getByRole('cell', { name: 'words', exact: true }).waitFor()
      await page.close()
    })
  })
}
