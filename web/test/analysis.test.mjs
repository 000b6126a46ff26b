// Algorithms over a graph, in the viewer of graphs.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs, STEP_MILLISECONDS } from './browser.mjs'
import { Server } from './server.mjs'

/** The pixels of the picture that have a colour. */
async function pixels(page, colour) {
  const image = await page.locator('.canvas-host').screenshot()
  return page.evaluate(
    async ([bytes, colour]) => {
      const picture = await createImageBitmap(new Blob([Uint8Array.from(bytes)]))
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
      context.drawImage(picture, 0, 0)
      const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
      const { data } = context.getImageData(0, 0, picture.width, picture.height)
      let count = 0
      for (let at = 0; at < data.length; at += 4) if (wanted.every((channel, index) => Math.abs(channel - data[at + index]) <= 2)) count += 1
      return count
    },
    [[...image], colour],
  )
}

/** Waits until the picture shows a colour as a vertex has it, or does not. */
async function untilDrawn(page, colour, isThere = true) {
  const end = Date.now() + STEP_MILLISECONDS
  while ((await pixels(page, colour)) >= 10 !== isThere) {
    assert.ok(Date.now() < end, `${colour} ${isThere ? 'is not' : 'is still'} in the picture`)
    await page.waitForTimeout(100)
  }
}

describe('the analysis of a graph', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
    const page = await openAs(browser, server, 'root', '#graphs')
    await page.getByRole('button', { name: 'Example graphs' }).click()
    const button = page.getByRole('button', { name: 'Create traversalGraph' })
    await button.click()
    await button.getByText('Created').waitFor()
    await page.close()
    await server.query('FOR key IN ["X", "Y"] INSERT { _key: key } INTO circles')
    await server.query('INSERT { _from: "circles/X", _to: "circles/Y" } INTO edges')
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  const panel = async (page) => {
    await page.getByRole('tab', { name: 'Analyse' }).click()
    await page.getByRole('combobox', { name: 'Algorithm' }).waitFor()
  }
  const result = (page) => page.getByRole('region', { name: 'Result of the analysis' })

  it('colours components, and shows their rows and statistics', async () => {
    const page = await openAs(browser, server, 'root', '#graph/traversalGraph')
    await page.getByText('13 vertices, 11 edges').waitFor()
    await panel(page)
    await check(page)
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('wcc')
    await page.getByText('Definition').click()
    await page.getByRole('button', { name: 'Estimate' }).click()
    await page.getByText(/^A run needs .* for 13 vertices and 11 edges. There is room for it.$/).waitFor()
    await page.getByRole('button', { name: 'Run' }).click()
    const legend = result(page).getByRole('group', { name: 'Colours by component' })
    await legend.getByText(/: 11$/).waitFor()
    await legend.getByText(/: 2$/).waitFor()
    await result(page).getByRole('group', { name: 'Statistics' }).getByText('vertices: 13').waitFor()
    await result(page).getByRole('cell', { name: 'circles/X' }).waitFor()
    assert.equal(await result(page).getByRole('row').count(), 14)
    // The first two colours of groups.
    for (const colour of ['#4c8f3f', '#3f7fbf']) await untilDrawn(page, colour)
    await check(page)
    // A row selects its vertex.
    await result(page).getByRole('cell', { name: 'circles/Y' }).click()
    await page.getByRole('region', { name: 'Selected vertex' }).getByText('circles/Y').first().waitFor()
    await result(page).getByRole('button', { name: 'Clear' }).click()
    await result(page).waitFor({ state: 'detached' })
    await untilDrawn(page, '#3f7fbf', false)
    await page.close()
  })

  it('scales ranks, and says what is wrong with a parameter', async () => {
    const page = await openAs(browser, server, 'root', '#graph/traversalGraph?start=circles/A&depth=1')
    await page.getByText('3 vertices, 2 edges').waitFor()
    await panel(page)
    await page.getByLabel('damping').fill('2')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').getByText("'damping' is 2; it must be a number from 0 to 1").waitFor()
    await check(page)
    await page.getByLabel('damping').fill('0.5')
    await page.getByRole('button', { name: 'Run' }).click()
    const legend = result(page).getByRole('group', { name: 'Colours by rank' })
    await legend.waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    const { result: ranks } = await server.query('FOR row IN GRAPH_ALGORITHM("pageRank", "traversalGraph", {damping: 0.5}) SORT row.rank DESC RETURN row')
    const cells = (row) => result(page).getByRole('row').nth(row).getByRole('cell').allInnerTexts()
    assert.deepEqual((await cells(1)).slice(2), [JSON.stringify(ranks[0].rank)])
    assert.deepEqual((await cells(13)).slice(2), [JSON.stringify(ranks.at(-1).rank)])
    const drawn = ranks.filter((row) => ['A', 'B', 'G'].includes(row.vertex.split('/')[1])).map((row) => row.rank)
    const text = await legend.innerText()
    for (const rank of [Math.min(...drawn), Math.max(...drawn)]) assert.ok(text.includes(String(Number(rank.toPrecision(3)))), `${text} has ${rank}`)
    // The ends of the scale.
    for (const colour of ['#5b62d6', '#d9822b']) await untilDrawn(page, colour)
    await page.getByRole('combobox', { name: 'Sizes' }).selectOption('rank')
    await page.getByRole('combobox', { name: 'Kind of colours' }).selectOption('Logarithmic scale')
    await legend.getByText('logarithmic').waitFor()
    await check(page)
    await page.getByRole('tab', { name: 'Explore' }).click()
    await page.getByLabel('Find a vertex').fill('circles/B')
    await page.getByLabel('Find a vertex').press('Tab')
    await page.getByRole('button', { name: 'Show neighbours' }).click()
    await page.getByText('5 vertices, 4 edges').waitFor()
    await legend.getByText('no value').waitFor({ state: 'detached' })
    await result(page).getByRole('link', { name: 'Open as query' }).click()
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText(/^13 rows/).waitFor()
    await check(page)
    await page.close()
  })

  it('takes the selected vertex, and shows paths', async () => {
    const page = await openAs(browser, server, 'root', '#graph/traversalGraph?start=circles/A&depth=1')
    await page.getByText('3 vertices, 2 edges').waitFor()
    await page.getByLabel('Find a vertex').fill('circles/G')
    await page.getByLabel('Find a vertex').press('Tab')
    await panel(page)
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('bfs')
    await page.getByRole('button', { name: 'Take circles/G' }).click()
    await page.getByRole('button', { name: 'Run' }).click()
    await result(page).getByRole('group', { name: 'Colours by level' }).getByText('no value: 2').waitFor()
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('randomWalks')
    await page.getByRole('button', { name: 'Run' }).click()
    await result(page).getByRole('heading', { name: 'randomWalks' }).waitFor()
    assert.equal(await page.getByRole('group', { name: /^Colours by/ }).count(), 0)
    assert.equal(await result(page).getByRole('button', { name: 'Write …' }).count(), 0)
    await result(page).getByRole('button', { name: 'Open row 1', exact: true }).click()
    await page.getByRole('dialog').getByText('"walk"').waitFor()
    await check(page)
    await page.close()
  })

  it('writes the result after a confirmation, where the user may', async () => {
    const page = await openAs(browser, server, 'root', '#graph/traversalGraph?start=circles/A&depth=1')
    await panel(page)
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('degree')
    await page.getByRole('button', { name: 'Run' }).click()
    await result(page).getByRole('button', { name: 'Write …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Attribute').fill('d')
    await dialog.getByLabel('weight').uncheck()
    await dialog.getByText('changes 13 documents in circles. They get d in place').waitFor()
    await check(page)
    await dialog.getByRole('button', { name: 'Write' }).click()
    await page.getByText('degree: 13 documents changed.').waitFor()
    assert.deepEqual((await server.query('FOR one IN circles SORT one._key RETURN one.d')).result.slice(0, 3), [2, 2, 1])
    await check(page)
    await page.close()

    await server.ask('POST', '/_api/user', { user: 'reader', passwd: 'secret' })
    await server.ask('PUT', '/_api/user/reader/database/_system', { grant: 'ro' })
    await server.ask('PUT', '/_api/user/reader/database/_system/*', { grant: 'ro' })
    const other = await openAs(browser, server, 'reader', '#graph/traversalGraph?start=circles/A&depth=1')
    await panel(other)
    await other.getByRole('button', { name: 'Run' }).click()
    await result(other).getByRole('group', { name: 'Statistics' }).waitFor()
    assert.equal(await result(other).getByRole('button', { name: 'Write …' }).count(), 0)
    await check(other)
    await other.close()
  })

  it('asks for the values of vertices that are drawn later, and is stopped on the server as well', async () => {
    await server.ask('POST', '/_api/gharial', { name: 'big', edgeDefinitions: [{ collection: 'link', from: ['spot'], to: ['spot'] }] })
    await server.query('FOR i IN 1..20000 INSERT { _key: TO_STRING(i) } INTO spot')
    await server.query('FOR i IN 1..20000 FOR j IN [1, 7, 1003] INSERT { _from: CONCAT("spot/", i), _to: CONCAT("spot/", 1 + (i * 31 + j) % 20000) } INTO link')
    const page = await openAs(browser, server, 'root', '#graph/big?start=spot/1&depth=1')
    await panel(page)
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('clusteringCoefficient')
    await page.getByRole('button', { name: 'Run' }).click()
    await result(page).getByText('the first 100 of 20,000 rows').waitFor()
    await page.getByRole('tab', { name: 'Explore' }).click()
    await page.getByLabel('Find a vertex').fill('spot/33')
    await page.getByLabel('Find a vertex').press('Tab')
    const asked = page.waitForRequest((request) => request.url().endsWith('/_api/cursor') && request.postDataJSON().query.includes('FILTER row.vertex IN @drawn'))
    await page.getByRole('button', { name: 'Show neighbours' }).click()
    const { drawn } = (await asked).postDataJSON().bindVars
    assert.ok(drawn.length > 0 && !drawn.includes('spot/33') && !drawn.includes('spot/1'), drawn.join())
    await page.getByRole('tab', { name: 'Analyse' }).click()
    await page.getByText('Computing values').waitFor({ state: 'detached' })
    const legend = result(page).getByRole('group', { name: /^Colours by/ })
    await legend.getByText('no value').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('betweenness')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('The analysis was stopped.').waitFor()
    await server.untilIdle()
    await page.close()
  })
})
