// Measures the first page: `node test/measure.mjs [LOADS]`. Each load begins with an empty cache.
//
// The page is usable when its field takes input and has been painted: the editor of queries where
// authentication is off, the name of the user where it is on.
import { launch } from './browser.mjs'
import { Server } from './server.mjs'

const LOADS = Number(process.argv[2] ?? 15)

/** The field of each first page, as an expression: it is there or not. */
const FIELDS = {
  queries: "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')",
  'sign-in': "document.querySelector('.sign-in input')",
}

/** Returns a script that notes when a field has been painted: when the frame after its own begins. */
const watch = (field) => `{
  const look = () => requestAnimationFrame(() => (${field} ? requestAnimationFrame(() => { globalThis.usableAt = performance.now() }) : look()))
  look()
}`

async function load(browser, server, field) {
  const page = await browser.newEmptyPage()
  // The processor time of the page's own thread says more than the clock on a busy machine.
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.addInitScript({ content: watch(field) })
  await page.goto(`${server.address}/_db/_system/_admin/aardvark/`)
  await page.waitForFunction(() => globalThis.usableAt)
  const { metrics } = await client.send('Performance.getMetrics')
  const thread = 1000 * (metrics.find((one) => one.name === 'TaskDuration')?.value ?? 0)
  const times = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation')
    const files = performance.getEntriesByType('resource')
    const paint = performance.getEntriesByName('first-contentful-paint')[0]
    return { html: navigation.responseEnd, files: Math.max(...files.map((file) => file.responseEnd)), paint: paint?.startTime ?? 0, usable: globalThis.usableAt }
  })
  await page.context().close()
  return { ...times, thread }
}

const median = (values) => values.sort((left, right) => left - right)[Math.floor(values.length / 2)]
const browser = await launch()
for (const [name, field] of Object.entries(FIELDS)) {
  const server = await Server.start({ authentication: name === 'sign-in' })
  try {
    // The first load reads the programs of the browser from the disk.
    await load(browser, server, field)
    const loads = []
    while (loads.length < LOADS) loads.push(await load(browser, server, field))
    const figures = Object.keys(loads[0]).map((key) => {
      const values = loads.map((one) => one[key])
      return `${key} ${Math.round(median(values))} (${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))})`
    })
    console.log(`${name}: milliseconds, median of ${LOADS} loads (least to most): ${figures.join(', ')}`)
  } finally {
    await server.stop()
  }
}
await browser.close()
