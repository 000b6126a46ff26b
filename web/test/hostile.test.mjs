// What must hold against few rights, hostile contents, large results and servers that go away.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, open, openAs, run, signIn } from './browser.mjs'
import { Server } from './server.mjs'

const SCRIPT = '"><img src=x onerror=alert(1)><script>alert(2)</script>'

describe('the interface', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    await server.ask('POST', '/_api/collection', { name: 'docs' })
    await server.ask('POST', '/_api/document/docs', { _key: 'a', [SCRIPT]: SCRIPT })
    await server.ask('POST', '/_api/gharial', { name: 'seen', edgeDefinitions: [{ collection: 'ties', from: ['docs'], to: ['docs'] }] })
    await server.ask('POST', '/_api/document/ties', { _from: 'docs/a', _to: 'docs/a' })
    await server.ask('POST', '/_api/user', { user: 'reader', passwd: 'secret' })
    await server.ask('PUT', '/_api/user/reader/database/_system', { grant: 'ro' })
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  it('shows a reader no action that writes, and the server refuses it', async () => {
    const page = await openAs(browser, server, 'reader', '#collection/docs/documents/a')
    await page.getByRole('textbox', { name: 'Document', exact: true }).getByText('"_key"').waitFor()
    const actions = page.getByRole('button', { name: /Save$|Remove|Truncate|^Drop|Create|New|^Change/ })
    const isHidden = async () => assert.equal(await actions.count(), 0)
    await isHidden()
    for (const name of ['Indexes', 'Properties', 'Schema']) {
      await page.getByRole('link', { name }).click()
      await isHidden()
    }
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await page.getByRole('link', { name: 'docs/a' }).waitFor()
    await isHidden()
    assert.equal(await page.getByRole('checkbox', { name: /^Select/ }).count(), 0)
    await page.getByRole('link', { name: 'Graphs' }).click()
    await page.getByRole('link', { name: 'seen' }).click()
    await page.getByRole('img', { name: 'Picture of 1 vertices and 1 edges' }).waitFor()
    await page.getByLabel('Find a vertex').fill('docs/a')
    await page.getByLabel('Find a vertex').press('Tab')
    await page.getByRole('region', { name: 'Selected vertex' }).getByRole('button', { name: 'Show neighbours' }).waitFor()
    await isHidden()
    assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0)
    await page.getByRole('link', { name: 'Queries', exact: true }).click()
    await run(page, 'REMOVE "a" IN docs')
    await page.getByRole('alert').waitFor()
    assert.equal((await server.ask('DELETE', '/_api/document/docs/a', undefined, 'reader')).status, 403)
    await check(page)
    await page.close()
  })

  it('lets users see their rights and change their own password', async () => {
    await server.ask('POST', '/_api/user', { user: 'nobody', passwd: 'secret' })
    const page = await openAs(browser, server, 'nobody', '#collections')
    await page.getByRole('heading', { name: 'No rights yet' }).waitFor()
    await check(page)
    await page.getByRole('link', { name: 'nobody' }).click()
    await page.getByRole('heading', { name: 'Rights' }).waitFor()
    await page.getByText('no access').first().waitFor()
    assert.equal(await page.getByRole('combobox', { name: '_system' }).count(), 0)
    await check(page)
    await server.ask('POST', '/_api/database', { name: 'own' })
    await server.ask('PUT', '/_api/user/nobody/database/own', { grant: 'ro' })
    await page.evaluate(() => (location.hash = '#collections'))
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText('There are no collections yet.').waitFor()
    await page.getByRole('link', { name: 'nobody' }).click()
    await page.getByText('may read', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('New password').fill('new secret')
    await page.getByLabel('The same again').fill('other')
    await page.getByText('The passwords differ.').waitFor()
    await page.getByLabel('The same again').fill('new secret')
    await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('The password is changed.').waitFor()
    // The page has a new token for the new password.
    await page.reload()
    await page.getByRole('heading', { name: 'Rights' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'nobody', 'new secret')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.close()
  })

  it('tells a user which right is missing', async () => {
    await server.ask('POST', '/_api/collection', { name: 'hidden' })
    await server.ask('PUT', '/_api/user/reader/database/_system/hidden', { grant: 'none' })
    const page = await openAs(browser, server, 'reader', '#collections')
    await page.getByRole('link', { name: 'docs', exact: true }).waitFor()
    for (const address of ['#collection/hidden/documents', '#logs']) {
      await page.evaluate((hash) => (location.hash = hash), address)
      await page.getByRole('alert').getByText('You lack the right to this').first().waitFor()
      assert.ok(await page.getByRole('link', { name: 'Your rights' }).count())
      await check(page)
    }
    for (const [address, text] of [['#dashboard', 'Uptime'], ['#activity', 'No queries are running.'], ['#views', 'There are no views yet.'], ['#analyzers', 'identity'], ['#graphs', 'seen'], ['#users', 'reader'], ['#databases', '_system'], ['#queries', 'Run a query']]) {
      await page.evaluate((hash) => (location.hash = hash), address)
      await page.locator('main').getByText(text).first().waitFor({ state: 'attached' })
      assert.equal(await page.getByRole('alert').count(), 0, address)
    }
    await page.close()
  })

  it('forgets everything of a user who signs out', async () => {
    const page = await openAs(browser, server)
    await run(page, 'RETURN "of root"')
    await page.getByRole('region', { name: 'Rows' }).getByText('of root').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'reader')
    await page.getByText('Run a query to see its result here.').waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByText('No requests yet.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('dialog').getByText('Nothing here yet.').waitFor()
    assert.equal(await page.getByText('of root').count(), 0)
    await check(page)
    await page.close()
  })

  it('goes to a database that the user has a right to', async () => {
    await server.ask('POST', '/_api/database', { name: 'shop', users: [{ username: 'seller', passwd: 'secret' }] })
    const page = await openAs(browser, server, 'seller', '#collections')
    await page.getByText('There are no collections yet.').waitFor()
    assert.match(page.url(), /_db\/shop\/_admin/)
    await page.getByRole('button', { name: 'New collection' }).waitFor()
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByText('Uptime').waitFor()
    await page.getByRole('link', { name: 'Queries', exact: true }).click()
    await run(page, 'RETURN 7 * 6')
    await page.getByRole('region', { name: 'Rows' }).getByText('42').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'RETURN 7 * 6' }).waitFor()
    await check(page)
    await page.close()
  })

  it('runs no script of names, documents and errors', async () => {
    const page = await openAs(browser, server)
    await run(page, 'FOR d IN docs RETURN d')
    await page.getByRole('region', { name: 'Rows' }).getByText(SCRIPT).first().waitFor()
    await page.getByRole('tab', { name: 'JSON' }).last().click()
    await page.getByText('onerror').first().waitFor()
    await run(page, `RETURN FAIL(${JSON.stringify(SCRIPT)})`)
    await page.getByRole('alert').getByText('onerror').waitFor()
    await page.goto(`${page.url().split('#')[0]}#collection/${encodeURIComponent(SCRIPT)}/documents`)
    await page.getByRole('heading', { name: SCRIPT }).waitFor()
    await page.getByRole('alert').first().waitFor()
    await check(page)
    await page.close()
  })

  it('fetches a result of a million rows as it is scrolled to', async () => {
    const page = await openAs(browser, server)
    await run(page, 'FOR i IN 1..1000000 RETURN { i }')
    await page.getByText('1,000 of 1,000,000 rows').waitFor()
    const rows = page.getByRole('region', { name: 'Rows' })
    assert.ok((await rows.getByRole('row').count()) < 100)
    for (const count of ['2,000', '3,000', '4,000']) {
      await rows.evaluate((box) => box.scrollTo(0, box.scrollHeight))
      await page.getByText(`${count} of 1,000,000 rows`).waitFor()
    }
    assert.ok((await rows.getByRole('row').count()) < 100)
    await check(page)
    await page.close()
  })

  it('tells that the server is away, and goes on when it is back', async () => {
    const page = await openAs(browser, server)
    await server.kill()
    await run(page, 'RETURN "back again"')
    await page.getByText('The server is not reachable. Retrying …').waitFor()
    await server.launch()
    await page.getByText('The server is not reachable.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Rows' }).getByText('back again').waitFor()
    await page.close()
  })

  it('shows a page again by itself that failed while the server was away', async () => {
    const page = await openAs(browser, server, 'root', '#collections')
    await page.getByRole('cell', { name: 'docs', exact: true }).waitFor()
    await server.kill()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('alert').getByText('the server is not reachable').waitFor()
    // The code of this page was never loaded.
    await page.getByRole('link', { name: 'Graphs' }).click()
    await page.getByText('could not be loaded').waitFor()
    await server.launch()
    await page.getByRole('link', { name: 'seen' }).waitFor()
    await page.getByRole('link', { name: 'Collections' }).click()
    await page.getByRole('cell', { name: 'docs', exact: true }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.close()
  })

  it('fits into a narrow and a wide window, and is dark where the system is', async () => {
    for (const size of [{ width: 360, height: 740 }, { width: 2560, height: 1400 }]) {
      const page = await openAs(browser, server, 'root', '#queries', size)
      await page.emulateMedia({ colorScheme: 'dark' })
      await run(page, 'FOR d IN docs RETURN d')
      await page.getByText('1 row,').waitFor()
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      assert.ok(overflow <= 0, `${overflow} pixels too wide`)
      await check(page)
      await page.close()
    }
  })

  it('asks for no user where authentication is off', async () => {
    const other = await Server.start({ authentication: false })
    const page = await open(browser, other)
    await page.getByText('No authentication').waitFor()
    // Each further file is a further wait before the first page can be used.
    await page.getByRole('textbox', { name: 'AQL query' }).waitFor()
    const requests = await page.evaluate(() => performance.getEntriesByType('resource').length)
    assert.ok(requests <= 12, `the first page needs ${requests} requests`)
    await run(page, 'RETURN 1 + 1')
    await page.getByText('1 row,').waitFor()
    await page.close()
    await other.stop()
  })
})
