// A headless Chromium, and what tests do in it.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** Milliseconds that a step may take on a machine that is busy with other work; fewer show a failure sooner. */
export const STEP_MILLISECONDS = Number(process.env.STEP_MILLISECONDS ?? 120_000)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Starts Chromium. Its pages share what they load; the user of each is in its own memory. */
export async function launch() {
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'], timeout: STEP_MILLISECONDS })
  const context = await browser.newContext()
  return {
    newPage: () => context.newPage(),
    /** Closes what a failed test has left: a new page would join its session. */
    closePages: () => Promise.all(context.pages().map((page) => page.close())),
    /** Opens a page that has loaded nothing yet. */
    newEmptyPage: async () => (await browser.newContext()).newPage(),
    close: () => browser.close(),
  }
}

/**
 * Errors of the console that are none: replies of the server with an error, and the style that
 * Chromium itself tries to set when marked text is overwritten, which the policy forbids.
 */
const EXPECTED = /^Failed to load resource|^Applying inline style/

/** Opens the interface. `page.faults` has the errors of scripts and of the page's policy. */
export async function open(browser, server, fragment = '', size = { width: 1280, height: 800 }) {
  const page = await browser.newPage()
  await page.setViewportSize(size)
  page.setDefaultTimeout(STEP_MILLISECONDS)
  page.faults = []
  page.on('pageerror', (error) => page.faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) page.faults.push(message.text())
  })
  page.on('dialog', (dialog) => {
    // The browser asks before a page with unsaved changes goes.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    page.faults.push(`a script ran: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(`${server.address}/_db/_system/_admin/aardvark/${fragment}`)
  return page
}

export async function signIn(page, user = 'root', password = 'secret') {
  await page.getByLabel('User').fill(user)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Opens the interface and signs in. */
export async function openAs(browser, server, user, fragment, size) {
  await browser.closePages()
  const page = await open(browser, server, fragment, size)
  await signIn(page, user)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return page
}

/** Writes a query into the editor. */
export async function write(page, query) {
  await page.getByRole('textbox', { name: 'AQL query' }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(query)
}

/** Writes a query into the editor and runs it. */
export async function run(page, query) {
  await write(page, query)
  await page.keyboard.press('ControlOrMeta+Enter')
}

/** Returns what a rule of accessibility objects to. */
export async function objections(page) {
  // The page's policy forbids scripts of others; the protocol of the browser is not bound by it.
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  return violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`))
}

/** Checks that a page has no error and no obstacle. */
export async function check(page) {
  assert.deepEqual(await objections(page), [])
  assert.deepEqual(page.faults, [])
}
