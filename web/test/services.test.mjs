// Services: installed, configured, run, tested, called, read in the log, changed and removed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs } from './browser.mjs'
import { Server } from './server.mjs'
import { zip } from './zip.mjs'

const MANIFEST = {
  name: 'shop',
  version: '1.0.0',
  description: 'Sells cups.',
  engines: { arangodb: '^3.0.0' },
  main: 'index.js',
  scripts: { 'add-cups': 'add.js' },
  tests: 'test.js',
  configuration: {
    currency: { type: 'string', default: 'EUR', description: 'Of all prices.' },
    limit: { type: 'integer', description: 'The most cups of an order.' },
    fast: { type: 'boolean', required: false },
    key: { type: 'password', required: false },
    sizes: { type: 'json', default: '[1,2]' },
  },
  dependencies: { mail: { name: 'mail', version: '*', required: false } },
}

const FILES = {
  'index.js': `'use strict'
const router = require('@arangodb/foxx/router')()
module.context.use(router)
router.get('/cups/:name', (req, res) => res.json({ name: req.pathParams.name, size: req.queryParams.size, currency: module.context.configuration.currency })).pathParam('name').queryParam('size').summary('Returns a cup')
router.post('/cups', (req, res) => res.status(201).json(req.body)).body(['application/json']).summary('Adds a cup')`,
  'add.js': "module.exports = { added: module.context.argv[0] }",
  'test.js': `const { expect } = require('chai')
describe('cups', () => {
  it('are round', () => expect(1).to.equal(1))
  it('are square', () => expect(1).to.equal(2))
})`,
  'README.md': '# Cups for everybody',
}

/** A service that writes into the log. */
const TALKER = `'use strict'
const router = require('@arangodb/foxx/router')()
module.context.use(router)
router.get('/say', (req, res) => { console[req.queryParams.level](req.queryParams.text); res.json({}) }).queryParam('level').queryParam('text')`

const archive = (version = '1.0.0') => zip({ 'manifest.json': JSON.stringify({ ...MANIFEST, version }), ...FILES })
const upload = (buffer = archive(), name = 'shop.zip') => ({ name, mimeType: 'application/zip', buffer })

describe('services', () => {
  let server, browser
  const install = (mount, body = archive()) => server.install(mount, body)
  const page = (fragment, user = 'root', size = undefined) => openAs(browser, server, user, fragment, size)
  const of = (mount, view) => `#service/${[mount, view].map(encodeURIComponent).join('/')}`
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    await server.ask('POST', '/_api/user', { user: 'reader', passwd: 'secret' })
    await server.ask('PUT', '/_api/user/reader/database/_system', { grant: 'ro' })
    await server.ask('POST', '/_api/database', { name: 'other' })
    await server.ask('POST', '/_api/user', { user: 'writer', passwd: 'secret' })
    await server.ask('PUT', '/_api/user/writer/database/other', { grant: 'rw' })
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  it('are installed from a file that is chosen or dropped', async () => {
    const view = await page('#services')
    await view.getByText('There are no services.').waitFor()
    await check(view)
    await view.getByRole('button', { name: 'Install service' }).click()
    const dialog = view.getByRole('dialog')
    await dialog.locator('input[type=file]').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
    await dialog.getByText('must be a ZIP archive').waitFor()
    await dialog.locator('input[type=file]').setInputFiles(upload())
    await dialog.getByLabel('Mount point').fill('no slash')
    await dialog.getByText('begins with a slash').waitFor()
    await dialog.getByLabel('Mount point').fill('/shop')
    await check(view)
    await dialog.getByRole('button', { name: 'Install', exact: true }).click()
    await view.getByText('Sells cups.').waitFor()
    await view.getByText('# Cups for everybody').waitFor()
    await view.getByText('Requests are refused until limit has a value.').waitFor()
    await check(view)
    await view.getByRole('link', { name: 'Services', exact: true }).first().click()
    await view.getByRole('link', { name: '/shop', exact: true }).waitFor()
    await check(view)
    const data = await view.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(["'use strict'"], 'small.js'))
      return data
    })
    await view.dispatchEvent('.drop-area .page', 'drop', { dataTransfer: data })
    await dialog.getByText('small.js').waitFor()
    assert.equal(await dialog.getByLabel('Mount point').inputValue(), '/small')
    await dialog.getByRole('button', { name: 'Install', exact: true }).click()
    await view.getByText('The service has no README.').waitFor()
    await view.close()
  })

  it('are refused with the reason of the server', async () => {
    const view = await page('#services')
    await view.getByRole('button', { name: 'Install service' }).click()
    const dialog = view.getByRole('dialog')
    await dialog.locator('input[type=file]').setInputFiles(upload(zip({ 'index.js': '' })))
    await dialog.getByLabel('Mount point').fill('/bad')
    await dialog.getByRole('button', { name: 'Install', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await check(view)
    await view.close()
  })

  it('are configured', async () => {
    await install('/configured')
    const view = await page(of('/configured', 'settings'))
    const form = view.getByRole('form', { name: 'Configuration' })
    assert.equal(await form.getByLabel('Currency').inputValue(), 'EUR')
    await form.getByLabel('Limit').fill('many')
    await form.getByLabel('Key').fill('hidden')
    await form.getByLabel('Fast').selectOption('true')
    await check(view)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Not all values were taken.').waitFor()
    await form.getByRole('alert').getByText('Limit:').waitFor()
    await check(view)
    await form.getByLabel('Limit').fill('12')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Saved.').waitFor()
    const { limit, fast, key } = await server.ask('GET', '/_api/foxx/configuration?mount=/configured')
    assert.deepEqual([limit.current, fast.current, key.current], [12, true, '********'])
    const dependencies = view.getByRole('form', { name: 'Dependencies' })
    await dependencies.getByLabel('Mail').fill('/shop')
    await dependencies.getByRole('button', { name: 'Save' }).click()
    await dependencies.getByText('Saved.').waitFor()
    assert.equal((await server.ask('GET', '/_api/foxx/dependencies?mount=/configured')).mail.current, '/shop')
    await form.getByRole('button', { name: 'Reset' }).click()
    await check(view)
    await view.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await form.getByText('Reset.').waitFor()
    assert.equal(await form.getByLabel('Limit').inputValue(), '')
    await view.close()
  })

  it('run scripts and tests', async () => {
    await install('/run')
    await server.ask('PATCH', '/_api/foxx/configuration?mount=/run', { limit: 1 })
    const view = await page(of('/run', 'scripts'))
    await view.getByRole('textbox', { name: 'Argument' }).click()
    await view.keyboard.insertText('{"cups": 3}')
    await view.getByRole('button', { name: 'Run', exact: true }).click()
    await view.getByText('"cups": 3').last().waitFor()
    await check(view)
    await view.getByRole('link', { name: 'Tests' }).click()
    await view.getByRole('button', { name: 'Run tests' }).click()
    await view.getByText('1 passed, 1 failed').waitFor()
    await view.getByText('expected 1 to equal 2').waitFor()
    await check(view)
    await view.getByLabel('Filter').fill('round')
    await view.getByRole('button', { name: 'Run tests' }).click()
    await view.getByText('1 passed, ').waitFor()
    await view.close()
  })

  it('have routes that can be called', async () => {
    await install('/called')
    await server.ask('PATCH', '/_api/foxx/configuration?mount=/called', { limit: 1 })
    const view = await page(of('/called', 'routes'))
    await view.getByRole('link', { name: '/called/cups/{name}' }).click()
    const operation = view.getByRole('region', { name: 'Operation' })
    await operation.getByLabel('name', { exact: true }).fill('big one')
    await operation.getByLabel('?size').fill('7')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByText('"name": "big one"').waitFor()
    await operation.getByText('"currency": "EUR"').waitFor()
    await check(view)
    await view.getByRole('link', { name: /POST/ }).click()
    await operation.getByRole('textbox', { name: 'Body' }).click()
    await view.keyboard.insertText('{"name": "new"}')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByText('201', { exact: true }).waitFor()
    await view.close()
  })

  it('show their messages in the log, and no others', async () => {
    for (const [mount, database] of [['/talker', '_system'], ['/talker2', '_system'], ['/talker', 'other']]) await server.install(mount, TALKER, database)
    const say = async (text, level = 'log', address = '/talker') => assert.equal((await server.ask('GET', `${address}/say?${new URLSearchParams({ level, text })}`)).status, 200)
    const view = await page(of('/talker', ''))
    await view.getByRole('link', { name: 'Log', exact: true }).click()
    await view.getByText('The log has no messages of /talker up to the level info.').waitFor()
    await check(view)
    await say('Sold a cup')
    await view.getByRole('button', { name: 'Sold a cup', exact: true }).waitFor()
    await say('of another service', 'error', '/talker2')
    await say('of another database', 'error', '/_db/other/talker')
    await say('looks like this database, database: _system', 'error', '/_db/other/talker')
    await say('No cups are left', 'error')
    await view.getByRole('button', { name: 'No cups are left' }).waitFor()
    const messages = () => view.locator('.log-line').allTextContents()
    assert.deepEqual(await messages(), ['No cups are left', 'Sold a cup'])
    await check(view)
    await view.getByRole('searchbox', { name: 'Text' }).fill('SOLD')
    await view.getByRole('button', { name: 'No cups are left' }).waitFor({ state: 'detached' })
    assert.deepEqual(await messages(), ['Sold a cup'])
    await view.getByRole('combobox', { name: 'Level' }).selectOption('error')
    await view.getByText('No message of /talker up to the level error contains this text.').waitFor()
    await view.getByRole('searchbox', { name: 'Text' }).fill('')
    await view.getByRole('button', { name: 'No cups are left' }).click()
    await view.getByRole('dialog', { name: 'error in v8' }).getByText('No cups are left').waitFor()
    await check(view)
    await view.close()
  })

  it('tell a user without a right to the log that it is missing', async () => {
    await server.install('/secret', TALKER, 'other')
    const view = await page('', 'writer')
    await view.evaluate((hash) => (location.hash = hash), of('/secret', 'log'))
    await view.getByText('the log of the server, which you may not read').waitFor()
    await view.getByRole('alert').getByText("this needs write access to the database '_system'").waitFor()
    await check(view)
    await view.close()
  })

  it('are developed, downloaded, upgraded, replaced and removed', async () => {
    await install('/old')
    const view = await page(of('/old', ''))
    const dialog = view.getByRole('dialog')
    await view.getByRole('checkbox', { name: 'Development' }).check()
    await view.waitForFunction(() => document.querySelector('.page-head input').checked)
    assert.equal((await server.ask('GET', '/_api/foxx/service?mount=/old')).development, true)
    await view.getByRole('checkbox', { name: 'Development' }).uncheck()
    const [file] = await Promise.all([view.waitForEvent('download'), view.getByRole('button', { name: 'Download' }).click()])
    assert.equal(file.suggestedFilename(), 'old.zip')
    for (const [verb, version] of [['Upgrade', '1.1.0'], ['Replace', '2.0.0']]) {
      await view.locator('summary', { hasText: 'Change' }).click()
      await view.getByRole('button', { name: verb }).click()
      await dialog.locator('input[type=file]').setInputFiles(upload(archive(version)))
      await check(view)
      await dialog.getByRole('button', { name: verb, exact: true }).click()
      await view.getByText(`shop ${version}`).waitFor()
    }
    await view.locator('summary', { hasText: 'Change' }).click()
    await view.getByRole('button', { name: 'Remove' }).click()
    await check(view)
    await dialog.getByRole('button', { name: 'Remove the service' }).click()
    await view.getByRole('heading', { name: 'Services', exact: true }).waitFor()
    assert.equal((await server.ask('GET', '/_api/foxx/service?mount=/old')).errorNum, 3009)
    await view.close()
  })

  it('show hostile contents as text', async () => {
    const script = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
    const files = {
      'index.js': `const router = require('@arangodb/foxx/router')(); module.context.use(router); router.get('/', (req, res) => res.send(${JSON.stringify(script)})).summary(${JSON.stringify(script)})`,
      'run.js': `console.log(${JSON.stringify(script)}); module.exports = ${JSON.stringify(script)}`,
      'test.js': `describe(${JSON.stringify(script)}, () => it(${JSON.stringify(script)}, () => { throw new Error(${JSON.stringify(script)}) }))`,
      'README.md': script,
    }
    const manifest = { description: script, author: script, main: 'index.js', scripts: { run: 'run.js' }, tests: 'test.js', configuration: { a: { type: 'string', description: script, default: script } } }
    await install('/hostile', zip({ 'manifest.json': JSON.stringify(manifest), ...files }))
    const view = await page(of('/hostile', ''))
    await view.getByRole('region', { name: 'README' }).getByText(script).waitFor()
    await check(view)
    await view.getByRole('link', { name: 'Settings' }).click()
    await view.getByText(script).first().waitFor()
    await view.getByRole('link', { name: 'Scripts' }).click()
    await view.getByRole('button', { name: 'Run', exact: true }).click()
    await view.getByText('onerror').last().waitFor()
    await view.getByRole('link', { name: 'Tests' }).click()
    await view.getByRole('button', { name: 'Run tests' }).click()
    await view.getByText(script).first().waitFor()
    await check(view)
    await view.getByRole('link', { name: 'Routes' }).click()
    await view.getByRole('link', { name: '/hostile/' }).click()
    await view.getByRole('button', { name: 'Send' }).click()
    await view.getByLabel('Reply').getByText('onerror').waitFor()
    await check(view)
    await view.getByRole('link', { name: 'Log', exact: true }).click()
    await view.getByRole('button', { name: script, exact: true }).click()
    await view.getByRole('dialog').getByText(script).waitFor()
    await check(view)
    await view.close()
  })

  it('tell a reader which right is missing, in a narrow window', async () => {
    await install('/seen', "'use strict'")
    const view = await page('#services', 'reader', { width: 360, height: 740 })
    await view.getByRole('link', { name: '/seen', exact: true }).waitFor()
    await view.getByText('only users with write access to the database _system manage its services').waitFor()
    assert.equal(await view.getByRole('button', { name: 'Install service' }).count(), 0)
    await check(view)
    await view.getByRole('link', { name: '/seen', exact: true }).click()
    await view.getByText('see the settings of its services').waitFor()
    const overflow = await view.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
    await check(view)
    await view.close()
  })
})
