// Signing in at an issuer of OpenID Connect.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { check, launch, open, run, signIn } from './browser.mjs'
import { Issuer } from './issuer.mjs'
import { Server } from './server.mjs'

describe('an issuer', () => {
  let server, browser, issuer, folder
  before(async () => {
    ;[browser, issuer] = await Promise.all([launch(), Issuer.start()])
    folder = mkdtempSync(join(tmpdir(), 'persea-issuers-'))
    const file = join(folder, 'issuers.json')
    server = await Server.start()
    const redirectUri = `${server.address}/_db/_system/_admin/aardvark/`
    const rules = [{ everyone: true, databases: { _system: 'ro' } }]
    writeFileSync(file, JSON.stringify({ id: 'company', name: 'Company <b>', issuer: issuer.address, clientId: 'web', redirectUri, userPrefix: 'c:', rules }))
    server.options = ['--openid.issuers', file]
    await server.kill()
    await server.launch()
  })
  after(async () => {
    await Promise.all([browser?.close(), server?.stop(), issuer?.stop()])
    rmSync(folder, { recursive: true, force: true })
  })

  const button = (page) => page.getByRole('button', { name: 'Sign in with Company <b>' })
  const user = (page, name) => page.getByRole('navigation', { name: 'Pages' }).getByText(name)

  it('signs users in that the server does not know', async () => {
    await browser.closePages()
    const page = await open(browser, server, '#collections')
    await button(page).waitFor()
    await check(page)
    await button(page).click()
    await page.getByLabel('Name').fill('eve')
    await page.getByRole('button', { name: 'Continue' }).click()
    await user(page, 'c:eve').waitFor()
    assert.equal(new URL(page.url()).search, '', 'the code is not in the address')
    assert.equal(new URL(page.url()).hash, '#collections', 'the page is the one from before')
    await page.reload()
    await user(page, 'c:eve').waitFor()
    await page.goto(`${server.address}/_db/_system/_admin/aardvark/#queries`)
    await run(page, 'RETURN CURRENT_USER()')
    await page.getByRole('region', { name: 'Rows' }).getByText('c:eve').waitFor()
    await check(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await button(page).waitFor()
    await page.close()
  })

  it('cannot sign a tab in that has not asked for it', async () => {
    await browser.closePages()
    const page = await open(browser, server)
    await button(page).click()
    await page.getByLabel('Name').waitFor()
    const done = new URL(page.url())
    done.pathname = '/done'
    done.searchParams.set('name', 'mallory')
    const { headers } = await fetch(done, { redirect: 'manual' }).then((reply) => ({ headers: reply.headers }))
    // Another tab gets the link.
    const victim = await open(browser, server)
    await victim.goto(headers.get('location'))
    await victim.getByText('This tab has not begun that sign-in').waitFor()
    await signIn(victim)
    await user(victim, 'root').waitFor()
    await check(victim)
    await browser.closePages()
  })

  it('may refuse', async () => {
    await browser.closePages()
    const page = await open(browser, server)
    await button(page).click()
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('The issuer refuses: access_denied').waitFor()
    await check(page)
    await page.close()
  })
})
