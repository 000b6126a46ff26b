// A session and unsaved changes, over reloads, tabs and signing out.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, open, openAs, run, signIn, write } from './browser.mjs'
import { Server } from './server.mjs'

describe('a session', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    await server.ask('POST', '/_api/collection', { name: 'docs' })
    await server.ask('POST', '/_api/document/docs', { _key: 'a', n: 1 })
    await server.ask('POST', '/_api/view', { name: 'found', type: 'arangosearch' })
    await server.ask('POST', '/_api/user', { user: 'reader', passwd: 'secret' })
    await server.ask('PUT', '/_api/user/reader/database/_system', { grant: 'ro' })
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  const editor = (page, name = 'AQL query') => page.getByRole('textbox', { name, exact: true })
  const pages = (page) => page.getByRole('navigation', { name: 'Pages' })

  it('outlives a reload with its queries, run or not', async () => {
    const page = await openAs(browser, server)
    await run(page, 'RETURN "first"')
    await page.getByRole('region', { name: 'Rows' }).getByText('first').waitFor()
    await page.getByRole('button', { name: 'New query' }).click()
    await write(page, 'RETURN @n // not run')
    await page.getByRole('textbox', { name: '@n' }).fill('42')
    await page.reload()
    await editor(page).getByText('not run').waitFor()
    assert.equal(await page.getByRole('textbox', { name: '@n' }).inputValue(), '42')
    assert.equal(await page.getByRole('button', { name: /^Close / }).count(), 2)
    await page.reload()
    await editor(page).getByText('not run').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Close / }).count(), 2)
    await check(page)
    // A query that did not run is not closed without a question.
    await page.getByRole('button', { name: 'Close RETURN @n' }).click()
    await page.getByRole('dialog').getByText('have not run').waitFor()
    await check(page)
    await page.getByRole('button', { name: 'Close without saving' }).click()
    await editor(page).getByText('"first"').waitFor()
    await page.close()
  })

  it('is that of a new tab, and ends in all tabs', async () => {
    const first = await openAs(browser, server, 'root', '#collections')
    const second = await open(browser, server, '#collections')
    await pages(second).getByText('root').waitFor()
    await second.getByRole('cell', { name: 'docs', exact: true }).waitFor()
    // Another context of the browser shares nothing.
    const stranger = await browser.newEmptyPage()
    await stranger.goto(`${server.address}/_db/_system/_admin/aardvark/`)
    await stranger.getByRole('button', { name: 'Sign in' }).waitFor()
    await stranger.context().close()
    await second.getByRole('button', { name: 'Sign out' }).click()
    for (const page of [first, second]) {
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      assert.equal(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), '{}')
      await page.reload()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await page.close()
    }
  })

  it('asks again for a token that the server does not know', async () => {
    const page = await openAs(browser, server)
    await page.evaluate(() => {
      for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, sessionStorage.getItem(key).replace(/\.[^."]+"/, '.wrong"'))
    })
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await signIn(page)
    await page.getByRole('heading', { name: 'Queries' }).waitFor()
    await page.close()
  })

  it('ends when its token is withdrawn', async () => {
    const page = await openAs(browser, server, 'root', '#collections')
    await page.getByRole('cell', { name: 'docs', exact: true }).waitFor()
    assert.equal((await server.ask('DELETE', '/_api/user/root/sessions')).status, 200)
    await page.evaluate(() => (location.hash = '#views'))
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await signIn(page)
    await pages(page).waitFor()
    await check(page)
    await page.close()
  })

  it('keeps changes of documents, views and schemas that are not saved', async () => {
    const page = await openAs(browser, server, 'root', '#collection/docs/documents/a')
    const change = async (name, text) => {
      await editor(page, name).click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.insertText(text)
    }
    await editor(page, 'Document').getByText('"n"').waitFor()
    await change('Document', ' // mine')
    await pages(page).getByRole('link', { name: 'docs/a' }).waitFor()
    await check(page)
    await page.evaluate(() => (location.hash = '#view/found'))
    await page.getByRole('tab', { name: 'JSON' }).click()
    await editor(page, 'Definition of the view').getByText('"links"').waitFor()
    await change('Definition of the view', ' // view')
    await page.evaluate(() => (location.hash = '#collection/docs/schema'))
    await editor(page, 'Schema').waitFor()
    await change('Schema', '// schema')
    await pages(page).getByRole('link', { name: 'Schema of docs' }).waitFor()
    await page.reload()
    await editor(page, 'Schema').getByText('// schema').waitFor()
    await pages(page).getByRole('link', { name: 'View found' }).click()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await editor(page, 'Definition of the view').getByText('// view').waitFor()
    await check(page)
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await pages(page).getByRole('link', { name: 'View found' }).waitFor({ state: 'detached' })
    await pages(page).getByRole('link', { name: 'docs/a' }).click()
    await editor(page, 'Document').getByText('// mine').waitFor()
    // Somebody else changes the document before the draft is saved.
    await server.ask('PATCH', '/_api/document/docs/a', { n: 2 })
    await editor(page, 'Document').click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('{"n": 3}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('Somebody changed the document meanwhile').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    assert.equal((await server.ask('GET', '/_api/document/docs/a')).n, 3)
    await pages(page).getByRole('link', { name: 'docs/a' }).waitFor({ state: 'detached' })
    // They are nobody else's.
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'reader')
    await pages(page).waitFor()
    assert.equal(await page.getByText('Not saved').count(), 0)
    await check(page)
    await page.close()
  })
})
