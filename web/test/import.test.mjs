// Imports of files into a collection.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs } from './browser.mjs'
import { Server } from './server.mjs'

describe('imports', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  it('read a file and tell what was refused', async () => {
    await server.ask('POST', '/_api/collection', { name: 'imported' })
    const page = await openAs(browser, server, 'root', '#collection/imported/documents')
    await page.getByRole('button', { name: 'Import' }).click()
    const buffer = Buffer.from('_key,n,text\r\na,9007199254740993,"x, y"\r\na,1,again\r\n')
    await page.getByLabel('File').setInputFiles({ name: 'some.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText('1 created, 1 refused').waitFor()
    await page.getByText('line 3: unique constraint violated').waitFor()
    await check(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('9007199254740993').waitFor()
    await page.close()
  })

  it('read CSV by separator, quote and types, with a preview and the lines of refused rows', async () => {
    await server.ask('POST', '/_api/collection', { name: 'typed' })
    const page = await openAs(browser, server, 'root', '#collection/typed/documents')
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    const lines = ["_key; zip ;n;'extra'", 'a;00123;1.5;x', "b;5;2;'y;\nz'", '', 'c;7;many;x', 'd;8;4;5;6', "a;9;5;'last'"]
    await page.getByLabel('File').setInputFiles({ name: 'some.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r')) })
    assert.equal(await dialog.getByLabel('Separator').inputValue(), ';')
    await dialog.getByLabel('Quote').selectOption("'")
    const preview = dialog.getByRole('region', { name: 'Preview' })
    await preview.getByRole('columnheader', { name: 'extra' }).waitFor()
    await preview.getByRole('combobox', { name: 'Type of zip' }).selectOption('text')
    await preview.getByRole('combobox', { name: 'Type of n' }).selectOption('number')
    assert.equal(await preview.locator('.is-refused').count(), 2)
    await check(page)
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByText('2 created, 3 refused').waitFor()
    await dialog.getByText('line 6: "many" in column n is not of type number').waitFor()
    await dialog.getByText('line 7: it has 5 values for 4 columns').waitFor()
    await dialog.getByText('line 8: unique constraint violated').waitFor()
    await check(page)
    const { result } = await server.query('FOR d IN typed SORT d._key RETURN UNSET(d, "_id", "_rev")')
    assert.deepEqual(result, [{ _key: 'a', zip: '00123', n: 1.5, extra: 'x' }, { _key: 'b', zip: '5', n: 2, extra: 'y;\nz' }])
    await page.close()
  })
})
