// Follow: a server that takes another one over, from the form to the cut-over.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs } from './browser.mjs'
import { Server } from './server.mjs'

describe('follow', () => {
  let source, server, browser
  before(async () => {
    ;[source, server, browser] = await Promise.all([Server.start({}), Server.start({}), launch()])
    await source.ask('POST', '/_api/collection', { name: 'docs' })
    await source.query('FOR i IN 1..50 INSERT { _key: TO_STRING(i) } INTO docs')
  })
  after(() => Promise.all([browser?.close(), source?.stop(), server?.stop()]))

  it('examines, copies, follows and cuts over', async () => {
    const page = await openAs(browser, server, 'root', '#follow')
    await page.getByLabel('Address').fill(source.address.replace('http://', 'tcp://'))
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Examine' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill('secret')
    await page.getByRole('button', { name: 'Examine' }).click()
    await page.getByText('this server can follow it.').waitFor()
    await check(page)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('follows the log').waitFor()
    await page.getByText(/^0 entries, \S+ \S+$/).waitFor()
    await check(page)
    await page.getByRole('button', { name: 'Cut over' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cut over' }).click()
    await page.getByText('follows no longer').waitFor()
    assert.deepEqual((await server.query('RETURN LENGTH(docs)')).result, [50])
    await page.close()
  })
})
