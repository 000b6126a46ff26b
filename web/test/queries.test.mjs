// Signing in and queries.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, open, openAs, run, signIn, write } from './browser.mjs'
import { Server } from './server.mjs'

describe('queries', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    await server.ask('POST', '/_api/collection', { name: 'docs' })
    await server.query('FOR i IN 1..3000 INSERT { _key: TO_STRING(i), n: i } INTO docs')
    await server.ask('POST', '/_api/index?collection=docs', { type: 'persistent', fields: ['n'], name: 'by_n' })
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  it('need a user whose password is right, and a reload asks again', async () => {
    const page = await open(browser, server)
    await signIn(page, 'root', 'wrong')
    await page.getByText('The name or the password is wrong.').waitFor()
    await check(page)
    await signIn(page)
    await page.getByRole('heading', { name: 'Queries' }).waitFor()
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))
    assert.doesNotMatch(stored, /eyJ|secret|bearer/i)
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.close()
  })

  it('have rows as a table and as JSON', async () => {
    const page = await openAs(browser, server)
    await run(page, 'FOR d IN docs SORT d.n RETURN { key: d._key, big: 9007199254740993, n: d.n }')
    await page.getByRole('region', { name: 'Rows' }).getByText('9007199254740993').first().waitFor()
    await page.getByText('1,000 of 3,000 rows').waitFor()
    await page.getByRole('tab', { name: 'JSON' }).last().click()
    await page.getByText('"big": 9007199254740993,').first().waitFor()
    await check(page)
    await page.close()
  })

  it('take bind parameters from a form', async () => {
    const page = await openAs(browser, server)
    await write(page, 'FOR d IN @@docs FILTER d.n == @n RETURN d._id')
    await page.getByRole('textbox', { name: '@n' }).fill('77')
    await page.getByLabel('@@docs').selectOption('docs')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('docs/77').waitFor()
    await check(page)
    await page.close()
  })

  it('show errors and mark their place', async () => {
    const page = await openAs(browser, server)
    await run(page, 'FOR d IN docs\n  FILTR d.n > 1 RETURN d')
    await page.getByRole('alert').getByText('syntax error').waitFor()
    await page.locator('.cm-lintRange-error').getByText('FILTR').waitFor()
    await run(page, 'FOR d IN missing RETURN d')
    await page.locator('.cm-lintRange-error').getByText('missing').waitFor()
    await run(page, 'RETURN 1 / 0')
    await page.getByText('division by zero').waitFor()
    await check(page)
    await page.close()
  })

  it('are explained and profiled', async () => {
    const page = await openAs(browser, server)
    await write(page, 'FOR d IN docs FILTER d.n > 5 RETURN d')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('use-indexes').waitFor()
    await page.getByText('by_n').first().waitFor()
    await check(page)
    await page.getByRole('button', { name: 'Profile' }).click()
    await page.getByRole('columnheader', { name: 'Time' }).waitFor()
    await page.getByText('2,995').first().waitFor()
    await check(page)
    await page.close()
  })

  it('can be stopped', async () => {
    const page = await openAs(browser, server)
    await run(page, 'RETURN SLEEP(60)')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('The query was stopped.').waitFor()
    const isGone = async () => (await server.ask('GET', '/_api/query/current')).length === undefined
    assert.ok(await isGone())
    await page.close()
  })

  it('are completed with functions, collections and attributes', async () => {
    const page = await openAs(browser, server)
    await write(page, '')
    await page.keyboard.type('FOR d IN doc')
    await page.getByRole('option', { name: 'docs' }).waitFor()
    await page.keyboard.press('Escape')
    await write(page, 'FOR d IN docs RETURN CONC')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: /^CONCAT\(/ }).waitFor()
    await page.keyboard.press('Escape')
    await write(page, 'FOR d IN docs RETURN d')
    await page.keyboard.type('.')
    await page.getByRole('option', { name: 'n', exact: true }).waitFor()
    await page.close()
  })

  it('are kept by their address and in the history', async () => {
    const query = encodeURIComponent('RETURN "from the address"')
    const page = await openAs(browser, server, 'root', `#queries?query=${query}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Rows' }).getByText('from the address').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('button', { name: 'RETURN "from the address"' }).waitFor()
    await check(page)
    await page.close()
  })
})
