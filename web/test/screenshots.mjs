// Pictures of the interface: `node test/screenshots.mjs FOLDER [--all]`. Without --all those of the
// documentation; with it all pages, in light and dark, and in narrow and wide windows.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch, openAs, run, write } from './browser.mjs'
import { fill, QUERY } from './sample.mjs'
import { Server } from './server.mjs'

const [folder, option] = process.argv.slice(2)
if (!folder) throw new Error('usage: node test/screenshots.mjs FOLDER [--all]')
const SIZE = { width: 1280, height: 800 }
/** The quality of WebP, which these pictures of text need. */
const QUALITY = 82

const rows = (page) => page.getByRole('region', { name: 'Rows' }).getByRole('row').nth(1).waitFor()
const heading = (name) => (page) => page.getByRole('heading', { name, exact: true }).waitFor()

async function query(page) {
  await write(page, QUERY)
  await page.getByRole('textbox', { name: '@least' }).fill('9')
}

/** What is in each picture: its address, and what is done there. */
const PAGES = {
  queries: ['#queries', async (page) => {
    await query(page)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await rows(page)
  }],
  profile: ['#queries', async (page) => {
    await query(page)
    await page.getByRole('button', { name: 'Profile' }).click()
    await page.getByRole('columnheader', { name: 'Time' }).waitFor()
  }],
  error: ['#queries', async (page) => {
    await run(page, 'FOR f IN films\n  FILTR f.year > 1990\n  RETURN f')
    await page.getByRole('alert').waitFor()
  }],
  map: ['#queries', async (page) => {
    await run(page, 'FOR p IN places RETURN p')
    await page.getByRole('tab', { name: 'Map' }).click()
    await page.getByRole('img', { name: /^Map of/ }).focus()
    await page.keyboard.press('n')
    await page.keyboard.press('0')
    await page.getByRole('status', { name: 'Selected row' }).getByText('name').waitFor()
  }],
  chart: ['#queries', async (page) => {
    await run(page, 'FOR f IN films\n  COLLECT year = f.year AGGREGATE best = MAX(f.rating), films = COUNT()\n  RETURN { year, films, best }')
    await page.getByRole('tab', { name: 'Chart' }).click()
    await page.getByRole('checkbox', { name: 'best' }).check()
    await page.getByRole('slider').waitFor()
  }],
  collections: ['#collections', (page) => page.getByRole('cell', { name: '5,000' }).waitFor()],
  documents: ['#collection/films/documents', async (page) => {
    await rows(page)
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('textbox', { name: 'Attribute', exact: true }).fill('title')
    await page.getByRole('textbox', { name: 'Value' }).fill('Harbour 1')
    await page.getByText('FILTER d.`title`').waitFor()
    await page.getByRole('link', { name: 'films/10', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'films/1', exact: true }).waitFor()
  }],
  document: ['#collection/films/documents/1', (page) => page.getByText('"Harbour 1"').waitFor()],
  indexes: ['#collection/films/indexes', (page) => page.getByText('by_year').first().waitFor()],
  properties: ['#collection/films/properties', (page) => page.getByText('Size of documents').waitFor()],
  schema: ['#collection/films/schema', (page) => page.getByRole('textbox', { name: 'Schema' }).waitFor()],
  graphs: ['#graphs', (page) => page.getByRole('link', { name: 'cast' }).waitFor()],
  graph: ['#graph/cast?start=films/1&depth=3', async (page) => {
    await page.getByRole('img', { name: /^Picture of/ }).waitFor()
    await page.getByLabel('Label by').fill('name')
    await page.getByLabel('Label by').press('Tab')
  }],
  analysis: ['#graph/cast?start=films/1&depth=5', async (page) => {
    await page.getByRole('tab', { name: 'Analyse' }).click()
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('betweenness')
    await page.getByRole('combobox', { name: 'direction' }).selectOption('any')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'Statistics' }).waitFor()
    await page.getByRole('combobox', { name: 'Sizes' }).selectOption('betweenness')
    await page.getByText('Laying out').waitFor({ state: 'detached' })
  }],
  views: ['#views', (page) => page.getByRole('link', { name: 'texts' }).waitFor()],
  view: ['#view/texts', (page) => page.getByRole('group', { name: 'Link of reviews' }).waitFor()],
  analyzers: ['#analyzers', async (page) => {
    await page.getByRole('combobox', { name: 'Try' }).selectOption('text_en')
    await page.getByRole('textbox', { name: 'Text' }).fill('The quick brown foxes')
    await page.getByRole('status', { name: 'Tokens' }).getByText('fox', { exact: true }).waitFor()
  }],
  services: ['#services', (page) => page.getByRole('link', { name: '/lending' }).waitFor()],
  service: ['#service/%2Flending', (page) => page.getByText('Lends films to persons, and').waitFor()],
  settings: ['#service/%2Flending/settings', (page) => page.getByLabel('Currency').waitFor()],
  tests: ['#service/%2Flending/tests', async (page) => {
    await page.getByRole('button', { name: 'Run tests' }).click()
    await page.getByText('1 passed, 1 failed').waitFor()
  }],
  routes: ['#service/%2Flending/routes', async (page) => {
    await page.getByRole('link', { name: '/lending/films/{key}', exact: false }).first().click()
    await page.getByLabel('key', { exact: true }).fill('1')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('"Harbour 1"').waitFor()
  }],
  shell: ['#shell', async (page) => {
    const input = page.getByRole('textbox', { name: 'JavaScript' })
    const log = page.getByRole('log', { name: 'Output' })
    for (const [text, shown] of [['const oldest = db._query("FOR p IN persons SORT p.born LIMIT 3 RETURN p.name").toArray()', ''], ['oldest', 'Ada'], ['print(`${db.films.count()} films`)', '240 films'], ['db.film.count()', 'TypeError']]) {
      await input.fill(text)
      await input.press('Enter')
      await log.getByText(shown).first().waitFor()
    }
  }],
  dashboard: ['#dashboard', async (page) => {
    const query = 'FOR r IN reviews COLLECT stars = r.stars WITH COUNT INTO n RETURN [stars, n]'
    await page.getByText('Uptime').waitFor()
    // Some seconds of work, so that the curves have a shape.
    for (let samples = 0; samples < 8; samples += 1) {
      await Promise.all([page.waitForResponse(/metrics/), ...Array.from({ length: 5 + 7 * (samples % 3) }, () => page.server.query(query))])
    }
  }],
  activity: ['#activity', async (page) => {
    void page.server.query('RETURN SLEEP(60)').catch(() => {})
    await page.getByRole('button', { name: 'Kill' }).waitFor()
  }],
  databases: ['#databases', heading('Databases')],
  users: ['#users', (page) => page.getByRole('link', { name: 'root' }).waitFor()],
  user: ['#user/ann', heading('Rights')],
  logs: ['#logs', (page) => page.getByText('is ready at').waitFor()],
  api: [`#api/${encodeURIComponent('POST /_api/cursor')}`, (page) => page.getByRole('button', { name: 'Send' }).waitFor()],
  create: ['#collections', async (page) => {
    await page.getByRole('button', { name: 'New collection' }).click()
    await page.getByRole('dialog').waitFor()
  }],
}

/** The pictures of the documentation, and those that are dark. */
const SHOWN = { queries: false, profile: true, documents: false, graph: true, analysis: false, map: false, shell: true, dashboard: false }

const [server, browser] = await Promise.all([Server.start({ options: ['--javascript.allow-admin-execute', 'true'] }), launch()])
mkdirSync(folder, { recursive: true })
try {
  await fill(server)
  await server.ask('POST', '/_api/user', { user: 'ann', passwd: 'secret' })
  for (const [name, isDark, size] of option === '--all' ? all() : Object.entries(SHOWN).map(([name, isDark]) => [name, isDark, SIZE])) await take(name, isDark, size)
} finally {
  await browser.close()
  await server.stop()
}

function all() {
  const sizes = [SIZE, { width: 360, height: 740 }, { width: 2560, height: 1400 }]
  return Object.keys(PAGES).flatMap((name) => [...sizes.map((size) => [name, false, size]), [name, true, SIZE]])
}

async function take(name, isDark, size) {
  const [address, act] = PAGES[name]
  const page = await openAs(browser, server, 'root', address, size)
  page.server = server
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light', reducedMotion: 'reduce' })
  await act(page)
  const client = await page.context().newCDPSession(page)
  const { data } = await client.send('Page.captureScreenshot', option === '--all' ? { format: 'png' } : { format: 'webp', quality: QUALITY })
  const file = option === '--all' ? `${name}-${size.width}${isDark ? '-dark' : ''}.png` : `${name}.webp`
  writeFileSync(join(folder, file), Buffer.from(data, 'base64'))
  const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  console.log(`${file}${width > 0 ? `: ${width} pixels too wide` : ''}${page.faults.length > 0 ? `: ${page.faults}` : ''}`)
  await page.close()
}
