// The documentation of the API.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs } from './browser.mjs'
import { Server } from './server.mjs'

describe('the documentation of the API', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    await server.ask('POST', '/_api/collection', { name: 'docs' })
    await server.ask('POST', '/_api/user', { user: 'reader', passwd: 'secret' })
    await server.ask('PUT', '/_api/user/reader/database/_system', { grant: 'ro' })
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  it('finds operations and sends them', async () => {
    const page = await openAs(browser, server, 'root', '#api')
    const { paths } = await server.ask('GET', '/_api/openapi.json')
    const count = Object.values(paths).flatMap(Object.keys).length
    await page.getByText(`${count} of ${count} operations`).waitFor()
    await check(page)
    await page.getByRole('searchbox', { name: 'Search' }).fill('post creates document')
    await page.getByRole('link', { name: '/_api/document/{collection}' }).first().click()
    const operation = page.getByRole('region', { name: 'Operation' })
    await operation.getByText('POST /_api/document/{collection}').waitFor()
    assert.match(decodeURIComponent(page.url()), /#api\/POST \/_api\/document\/\{collection\}/)
    await operation.getByLabel('collection', { exact: true }).fill('docs')
    await operation.getByLabel('?returnNew').fill('true')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByText('202').waitFor()
    await operation.getByText('"name": "Ann"').last().waitFor()
    assert.equal((await server.ask('GET', '/_api/collection/docs/count')).count, 1)
    await check(page)
    await operation.getByLabel('collection', { exact: true }).fill('missing')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByText('404', { exact: true }).waitFor()
    await page.close()
  })

  it('lets a reader send what reads only', async () => {
    const page = await openAs(browser, server, 'reader', `#api/${encodeURIComponent('DELETE /_api/collection/{collection}')}`)
    await page.getByText('You have read-only access').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send' }).count(), 0)
    await page.goto(`${page.url().split('#')[0]}#api/${encodeURIComponent('GET /_api/collection')}`)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('status').getByText('200', { exact: true }).waitFor()
    await check(page)
    await page.close()
  })

  it('fits into a narrow window', async () => {
    const page = await openAs(browser, server, 'root', `#api/${encodeURIComponent('POST /_api/cursor')}`, { width: 360, height: 740 })
    await page.getByRole('button', { name: 'Send' }).waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
    await check(page)
    await page.close()
  })
})
