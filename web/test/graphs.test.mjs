// Named graphs: their pictures, and their vertices and edges.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { check, launch, openAs } from './browser.mjs'
import { Server } from './server.mjs'

describe('graphs', () => {
  let server, browser
  before(async () => {
    ;[server, browser] = await Promise.all([Server.start(), launch()])
  })
  after(() => Promise.all([browser?.close(), server?.stop()]))

  it('create a graph and draw it', async () => {
    const page = await openAs(browser, server, 'root', '#graphs')
    await page.getByRole('button', { name: 'New graph' }).click()
    await page.getByLabel('Name').fill('roads')
    await page.getByLabel('Edges').fill('road')
    await page.getByLabel('From').fill('place')
    await page.getByLabel('To').fill('place')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('link', { name: 'roads' }).waitFor()
    await check(page)
    await server.query('FOR i IN 1..300 INSERT { _key: TO_STRING(i) } INTO place')
    await server.query('FOR i IN 2..300 INSERT { _from: CONCAT("place/", i), _to: CONCAT("place/", FLOOR(i / 2)) } INTO road')
    await page.getByRole('link', { name: 'roads' }).click()
    await page.getByText('300 vertices, 299 edges').waitFor()
    await page.getByRole('img', { name: 'Picture of 300 vertices and 299 edges' }).waitFor()
    await page.getByLabel('Start').fill('place/1')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('7 vertices, 6 edges').waitFor()
    await check(page)
    await page.close()
  })

  it('are created from examples by a click', async () => {
    const page = await openAs(browser, server, 'root', '#graphs')
    await page.getByRole('button', { name: 'Example graphs' }).click()
    await check(page)
    for (const [name, vertices, edges] of [['knows_graph', 5, 5], ['traversalGraph', 11, 10], ['mps_graph', 6, 7], ['routeplanner', 5, 10]]) {
      const button = page.getByRole('button', { name: `Create ${name}` })
      await button.click()
      await button.getByText('Created').waitFor()
      const { graph } = await server.ask('GET', `/_api/gharial/${name}`)
      const collections = graph.edgeDefinitions.flatMap((one) => [...one.from, ...one.to])
      const counts = await server.query('RETURN [SUM(FOR c IN UNIQUE(@vertices) RETURN COLLECTION_COUNT(c)), SUM(FOR c IN @edges RETURN COLLECTION_COUNT(c))]', { vertices: collections, edges: graph.edgeDefinitions.map((one) => one.collection) })
      assert.deepEqual(counts.result[0], [vertices, edges], name)
    }
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'routeplanner' }).click()
    await page.getByText('5 vertices, 10 edges').waitFor()
    await check(page)
    // Another graph may not define `knows` in another way.
    await server.ask('DELETE', '/_api/gharial/knows_graph?dropCollections=true')
    await page.close()
  })

  it('create, change and remove vertices and edges of a graph', async () => {
    await server.ask('POST', '/_api/gharial', { name: 'people', edgeDefinitions: [{ collection: 'knows', from: ['person'], to: ['person'] }] })
    const page = await openAs(browser, server, 'root', '#graph/people')
    const dialog = page.getByRole('dialog')
    const write = async (label, text) => {
      await dialog.getByRole('textbox', { name: label }).click()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText(text)
    }
    for (const name of ['ann', 'bob']) {
      await page.getByRole('button', { name: 'New vertex' }).click()
      await write('Attributes of the vertex', JSON.stringify({ _key: name, big: 1 }).replace('1', '9007199254740993'))
      await check(page)
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('region', { name: 'Selected vertex' }).getByText(`person/${name}`).first().waitFor()
    }
    await page.getByRole('button', { name: 'New edge' }).click()
    await dialog.getByLabel(/^To/).fill('person/ann')
    await write('Attributes of the edge', '{"since": 2020}')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByText('2 vertices, 1 edges').waitFor()
    await page.getByRole('region', { name: 'Selected edge' }).getByText('"since": 2020').waitFor()
    await check(page)
    await page.getByRole('button', { name: 'Change' }).click()
    await dialog.getByText('"since"').waitFor()
    const [edge] = (await server.query('FOR e IN knows RETURN e')).result
    await write('Attributes of the edge', JSON.stringify({ _from: edge._from, _to: edge._to, since: 2021 }))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Selected edge' }).getByText('"since": 2021').waitFor()
    await page.getByLabel('Find a vertex').fill('person/ann')
    await page.getByLabel('Find a vertex').press('Tab')
    await page.getByRole('region', { name: 'Selected vertex' }).getByRole('button', { name: '← person/bob' }).click()
    await page.getByRole('region', { name: 'Selected edge' }).waitFor()
    await page.getByLabel('Find a vertex').fill('person/bob')
    await page.getByLabel('Find a vertex').press('Tab')
    await page.getByRole('button', { name: 'Remove' }).click()
    await check(page)
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('1 vertices, 0 edges').waitFor()
    assert.deepEqual((await server.query('RETURN [COUNT(person), COUNT(knows)]')).result, [[1, 0]])
    await page.close()
  })
})
