// The shell in the page.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, open, openAs } from './browser.mjs'
import { Server } from './server.mjs'

describe('the shell', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start({ options: ['--javascript.allow-admin-execute', 'true'] }), launch()])
    await server.ask('POST', '/_api/user', { user: 'reader', passwd: 'secret' })
    await server.ask('PUT', '/_api/user/reader/database/_system', { grant: 'ro' })
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  it('runs JavaScript and shows results, prints and errors', async () => {
    const page = await openAs(browser, server, 'root', '#shell')
    const input = page.getByRole('textbox', { name: 'JavaScript' })
    const log = page.getByRole('log', { name: 'Output' })
    const enter = async (text) => {
      await input.fill(text)
      await input.press('Enter')
    }
    await enter('db._query("FOR i IN 1..3 RETURN i * 111").toArray()')
    await log.getByText('333').waitFor()
    await enter('print("printed <b>"); db._collection("missing").count()')
    await log.getByText('printed <b>', { exact: true }).waitFor()
    await log.getByText('TypeError').waitFor()
    // What an input defines stays for the next, also after one that was stopped.
    await enter('let sum = 0; for (const n of [40, 2]) sum += n; function twice(n) { return 2 * n }')
    await enter('twice(sum)')
    await log.getByText('84', { exact: true }).waitFor()
    await enter('1 +')
    await log.getByText('SyntaxError').waitFor()
    await check(page)
    await enter('while (true) {}')
    await page.getByRole('button', { name: 'Stop' }).click()
    await log.getByText('The program was stopped.').waitFor()
    await input.press('ArrowUp')
    await input.press('ArrowUp')
    assert.equal(await input.inputValue(), '1 +')
    await input.press('ArrowDown')
    assert.equal(await input.inputValue(), 'while (true) {}')
    await enter('_ + sum')
    await log.getByText('126', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'New session' }).click()
    await log.getByText('Enter runs').waitFor()
    await enter('typeof sum')
    await log.getByText('undefined', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await log.getByText('Enter runs').waitFor()
    await page.close()
  })

  it('says that variables are gone once the server has started again', async () => {
    const page = await openAs(browser, server, 'root', '#shell')
    const input = page.getByRole('textbox', { name: 'JavaScript' })
    const log = page.getByRole('log', { name: 'Output' })
    await input.fill('answer = 6 * 7')
    await input.press('Enter')
    await log.getByText('42', { exact: true }).waitFor()
    await server.kill()
    await server.launch()
    await input.fill('typeof answer')
    await input.press('Enter')
    await log.getByText('earlier variables are gone').waitFor()
    await log.getByText('undefined', { exact: true }).waitFor()
    await page.close()
  })

  it('fits into a narrow window', async () => {
    const page = await openAs(browser, server, 'root', '#shell', { width: 360, height: 740 })
    await page.getByRole('textbox', { name: 'JavaScript' }).fill('"x".repeat(300)')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('log').getByText('xxxxx').waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
    await check(page)
    await page.close()
  })

  it('says why it is not there', async () => {
    const page = await openAs(browser, server, 'reader', '#shell')
    await page.getByText('Running JavaScript in the server requires write access').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'JavaScript' }).count(), 0)
    await check(page)
    await page.close()
  })

  it('says what the server lacks', async () => {
    const other = await Server.start({ authentication: false })
    const page = await open(browser, other, '#shell')
    await page.getByText('--javascript.allow-admin-execute').waitFor()
    await check(page)
    await page.close()
    await other.stop()
  })
})
