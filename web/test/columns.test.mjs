// The columns of tables, and counts that follow filters.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs, run } from './browser.mjs'
import { Server } from './server.mjs'

describe('tables of rows', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    await server.ask('POST', '/_api/collection', { name: 'docs' })
    await server.query('FOR i IN 1..2500 INSERT { _key: TO_STRING(i), n: i, city: i % 2 ? "Bonn" : "Rome" } INTO docs')
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  const headers = (page) => page.getByRole('region', { name: 'Rows' }).getByRole('columnheader').allInnerTexts()

  it('are sorted by the server, and their count follows the filter', async () => {
    const page = await openAs(browser, server, 'root', '#collection/docs/documents')
    await page.getByText('2,500 documents', { exact: true }).waitFor()
    const first = page.getByRole('region', { name: 'Rows' }).getByRole('row').nth(1)
    await page.getByRole('button', { name: 'n', exact: true }).click()
    await first.getByText('docs/1', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^n/ }).click()
    await first.getByText('docs/2500').waitFor()
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('textbox', { name: 'Attribute', exact: true }).fill('city')
    await page.getByRole('textbox', { name: 'Value' }).fill('Bonn')
    await page.getByText('1,250 of 2,500 documents').waitFor()
    await first.getByText('docs/2499').waitFor()
    await check(page)
    await page.close()
  })

  it('hide, freeze and widen columns', async () => {
    const page = await openAs(browser, server, 'root', '#collection/docs/documents')
    await page.getByRole('link', { name: 'docs/1', exact: true }).waitFor()
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('checkbox', { name: '_id and _rev' }).uncheck()
    await page.getByRole('link', { name: 'docs/1', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('group', { name: 'n', exact: true }).getByRole('checkbox', { name: 'freeze' }).check()
    await check(page)
    assert.deepEqual((await headers(page)).map((text) => text.replace(/[^\w#]/g, '')), ['Select', '#', 'n', '_key', 'city'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Reset' }).waitFor({ state: 'hidden' })
    const column = page.getByRole('columnheader', { name: 'city' })
    const width = async () => (await column.boundingBox()).width
    const first = await width()
    const handle = page.getByRole('slider', { name: 'Width of city' })
    await handle.focus()
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowRight')
    const wide = await width()
    assert.ok(wide > first + 30, `${first}, ${wide}`)
    await column.hover()
    const box = await handle.boundingBox()
    await page.mouse.move(box.x + 4, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x - 150, box.y + 10, { steps: 5 })
    await page.mouse.up()
    assert.ok((await width()) < wide - 30, `${wide}, ${await width()}`)
    // They are the same when the page is shown again.
    await page.getByRole('link', { name: 'Indexes' }).click()
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await page.getByText('Columns (2 hidden)').waitFor()
    await check(page)
    await page.close()
  })

  it('of results are sorted as AQL does', async () => {
    const page = await openAs(browser, server)
    await run(page, 'FOR d IN docs RETURN { key: d._key, n: d.n }')
    await page.getByText('1,000 of 2,500 rows').waitFor()
    await page.getByRole('button', { name: 'n', exact: true }).click()
    await page.getByRole('button', { name: /^n/ }).click()
    await page.getByText('2,500 rows').waitFor()
    await page.getByRole('region', { name: 'Rows' }).getByRole('row').nth(1).getByRole('cell', { name: '2500', exact: true }).first().waitFor()
    await check(page)
    await page.close()
  })
})
