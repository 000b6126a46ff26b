// Writes src/map/earth.json: the coastlines and borders of Natural Earth at 1:110 million, which are
// in the public domain. Usage: node scripts/earth.mjs FOLDER, with `npm pack world-atlas` unpacked there.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Steps of a degree, about a kilometre and a tenth of the accuracy of the data. */
const STEPS = 50

const read = (name) => JSON.parse(readFileSync(join(process.argv[2], name), 'utf8'))
const { arcs, transform, objects } = read('countries-110m.json')

/** How many countries an arc belongs to: a border has two. */
const uses = new Map()
const count = (part) => (Array.isArray(part) ? part.forEach(count) : uses.set(part < 0 ? ~part : part, (uses.get(part < 0 ? ~part : part) ?? 0) + 1))
objects.countries.geometries.forEach((country) => count(country.arcs))

/** Returns the differences of an arc's positions in steps, without those that are too small. */
function steps(arc) {
  let [x, y] = [0, 0]
  const positions = arc.map(([dx, dy]) => {
    x += dx
    y += dy
    return [x * transform.scale[0] + transform.translate[0], y * transform.scale[1] + transform.translate[1]].map((degrees) => Math.round(degrees * STEPS))
  })
  const kept = positions.filter((one, at) => at === 0 || one.some((value, axis) => value !== positions[at - 1][axis]))
  return kept.flatMap((one, at) => (at === 0 ? one : one.map((value, axis) => value - kept[at - 1][axis])))
}

const lines = { coasts: [], borders: [] }
for (const [at, arc] of arcs.entries()) lines[uses.get(at) > 1 ? 'borders' : 'coasts'].push(steps(arc))
writeFileSync(join(import.meta.dirname, '../src/map/earth.json'), `${JSON.stringify({ steps: STEPS, ...lines })}\n`)
