// Long documents and long rows: the page stays usable.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs, run } from './browser.mjs'
import { Server } from './server.mjs'

/** Milliseconds for which the page's own thread may be busy at once, on a machine that does other work. */
const MAX_PAUSE = 5000

describe('long contents', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    await server.ask('POST', '/_api/collection', { name: 'docs' })
    const list = Array.from({ length: 20_000 }, (_, n) => ({ n, name: `element ${n}`, tags: ['a', 'b'], text: 'x'.repeat(150) }))
    await server.ask('POST', '/_api/document/docs', { _key: 'many', list })
    await server.ask('POST', '/_api/document/docs', { _key: 'line', text: `begin ${'long words '.repeat(450_000)} end` })
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  /** Begins to note the longest time in which the page did nothing else. */
  const watch = (page) =>
    page.evaluate(() => {
      globalThis.longest = 0
      let last = performance.now()
      setInterval(() => {
        const now = performance.now()
        globalThis.longest = Math.max(globalThis.longest, now - last - 50)
        last = now
      }, 50)
    })
  const longest = (page) => page.evaluate(() => Math.round(globalThis.longest))

  for (const [key, text] of [['many', '"element 3"'], ['line', 'long words']]) {
    it(`of 5 MB are opened, changed and kept: ${key}`, async () => {
      const page = await openAs(browser, server, 'root', '#collections')
      await watch(page)
      await page.evaluate((key) => (location.hash = `#collection/docs/documents/${key}`), key)
      const editor = page.getByRole('textbox', { name: 'Document', exact: true })
      await editor.getByText(text).first().waitFor()
      await editor.click()
      await page.keyboard.press('ControlOrMeta+Home')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.type('"typed": 12345,')
      await editor.getByText('12345').first().waitFor()
      await page.getByText('Not saved').first().waitFor()
      assert.ok((await longest(page)) < MAX_PAUSE, `${await longest(page)} ms`)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.').waitFor()
      assert.equal((await server.query('RETURN DOCUMENT("docs", @key).typed', { key })).result[0], 12345)
      assert.ok((await longest(page)) < MAX_PAUSE, `${await longest(page)} ms`)
      await page.close()
    })
  }

  it('of rows are shown as a table, as JSON and whole', async () => {
    const page = await openAs(browser, server)
    await watch(page)
    await run(page, 'FOR d IN docs FOR i IN 1..2 SORT d._key RETURN d')
    await page.getByRole('region', { name: 'Rows' }).getByText('docs/many').first().waitFor()
    await page.getByRole('button', { name: 'Open row 1', exact: true }).click()
    await page.getByRole('dialog').getByText('long words').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'JSON' }).last().click()
    await page.getByText('characters').first().waitFor()
    await check(page)
    await run(page, 'FOR i IN 1..300 RETURN MERGE({i}, ZIP((FOR c IN 1..90 RETURN CONCAT("c", c)), (FOR c IN 1..90 RETURN REPEAT("word ", 100))))')
    await page.getByRole('tab', { name: 'Table' }).click()
    const rows = page.getByRole('region', { name: 'Rows' })
    await rows.getByRole('columnheader', { name: 'c90' }).waitFor()
    for (const top of [1000, 3000, 6000]) await rows.evaluate((box, top) => box.scrollTo(0, top), top)
    await rows.getByRole('button', { name: 'Open row 190', exact: true }).waitFor()
    assert.ok((await longest(page)) < MAX_PAUSE, `${await longest(page)} ms`)
    await page.close()
  })
})
