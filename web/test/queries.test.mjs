// Signing in and queries.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
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
    await server.untilIdle()
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

  it('have tabs of their own, also while they run', async () => {
    const page = await openAs(browser, server)
    await run(page, 'RETURN SLEEP(60)')
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.getByRole('button', { name: 'New query' }).click()
    await run(page, 'RETURN "second"')
    await page.getByRole('region', { name: 'Rows' }).getByText('second').waitFor()
    await check(page)
    await page.getByRole('button', { name: /^running RETURN SLEEP/ }).click()
    await page.getByRole('button', { name: 'Close RETURN SLEEP(60)' }).click()
    await page.getByRole('region', { name: 'Rows' }).getByText('second').waitFor()
    await page.close()
  })

  it('show edges as a graph, and save all rows', async () => {
    await server.ask('POST', '/_api/collection', { name: 'links', type: 3 })
    await server.query('FOR i IN 1..20 INSERT { _from: "docs/1", _to: CONCAT("docs/", i + 1) } INTO links')
    const page = await openAs(browser, server)
    await run(page, 'FOR e IN links RETURN e')
    await page.getByRole('tab', { name: 'Graph' }).click()
    await page.getByRole('img', { name: 'Picture of 21 vertices and 20 edges' }).waitFor()
    await check(page)
    await run(page, 'FOR d IN docs SORT d.n RETURN { n: d.n, text: "a,b" }')
    await page.getByText('1,000 of 3,000 rows').waitFor()
    await page.getByText('Download').click()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n')
    assert.deepEqual([lines.length, lines[0], lines[3000]], [3002, 'n,text', '3000,"a,b"'])
    await page.close()
  })

  it('are kept by their address and in the history', async () => {
    const query = encodeURIComponent('RETURN "from the address"')
    const page = await openAs(browser, server, 'root', `#queries?query=${query}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Rows' }).getByText('from the address').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'RETURN "from the address"' }).waitFor()
    await check(page)
    await page.close()
  })
})
