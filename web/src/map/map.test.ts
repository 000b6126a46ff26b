import { describe, expect, it } from 'vitest'
import { loadEarth } from './earth'
import { hit } from './hit'
import { fitting, fromScreen, project, stepOf, toScreen, unproject, zoomed } from './projection'
import { mayHavePlaces, shapesOf } from './shapes'

describe('shapes', () => {
  it('are found wherever they are in a row', () => {
    const rows = [
      '{"name":"a","place":{"type":"Point","coordinates":[7.1,50.7]}}',
      '{"list":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}}],"latitude":1,"longitude":2}',
      '{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}',
    ]
    expect(mayHavePlaces(rows)).toBe(true)
    expect(shapesOf(rows)).toEqual([
      { kind: 'point', lines: [[[7.1, 50.7]]], row: 0 },
      { kind: 'point', lines: [[[2, 1]]], row: 1 },
      { kind: 'line', lines: [[[0, 0], [1, 1]]], row: 1 },
      { kind: 'area', lines: [[[0, 0], [1, 0], [1, 1], [0, 0]]], row: 2 },
    ])
  })

  it('are never made of something else', () => {
    const rows = ['{"type":"Point","coordinates":["x",2]}', '{"type":"Polygon","coordinates":[7]}', '{"type":"Point","coordinates":[1,91]}', '{"latitude":"1","longitude":2}', '7', 'null']
    expect(shapesOf(rows)).toEqual([])
    expect(mayHavePlaces(['{"a":1}'])).toBe(false)
  })
})

describe('the projection', () => {
  const camera = { centre: { x: 0.52, y: 0.33 }, size: 5000 }

  it('goes both ways', () => {
    const [longitude, latitude] = unproject(fromScreen(toScreen(project([7.1, 50.7]), camera, 800, 600), camera, 800, 600))
    expect(longitude).toBeCloseTo(7.1)
    expect(latitude).toBeCloseTo(50.7)
    expect(Number.isFinite(project([0, 90]).y)).toBe(true)
  })

  it('leaves the place of a zoom where it is', () => {
    const at = { x: 100, y: 50 }
    expect(fromScreen(at, zoomed(camera, 3, at, 800, 600), 800, 600).x).toBeCloseTo(fromScreen(at, camera, 800, 600).x)
  })

  it('sees all shapes', () => {
    const shapes = shapesOf(['{"type":"LineString","coordinates":[[-10,-20],[30,60]]}'])
    const camera = fitting(shapes, 800, 600)
    for (const position of shapes[0]?.lines[0] ?? []) {
      const { x, y } = toScreen(project(position), camera, 800, 600)
      expect(x > 0 && x < 800 && y > 0 && y < 600).toBe(true)
    }
    expect(fitting([], 800, 600).size).toBeGreaterThan(0)
    expect(stepOf({ centre: camera.centre, size: 360 * 100 }, 90)).toBe(1)
  })
})

it('a place on the screen has the nearest shape', () => {
  const [area, point] = shapesOf(['{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]]]}', '{"type":"Point","coordinates":[5,5]}'])
  if (!area || !point) throw new Error('no shapes')
  const square = [{ x: 0, y: 0 }, { x: 100, y: 0 }, { x: 100, y: 100 }, { x: 0, y: 100 }, { x: 0, y: 0 }]
  const hole = [{ x: 60, y: 60 }, { x: 90, y: 60 }, { x: 90, y: 90 }, { x: 60, y: 90 }, { x: 60, y: 60 }]
  const drawn = [{ shape: area, lines: [square, hole] }, { shape: point, lines: [[{ x: 20, y: 20 }]] }]
  expect(hit(drawn, { x: 22, y: 21 })).toBe(point)
  expect(hit(drawn, { x: 40, y: 40 })).toBe(area)
  expect(hit(drawn, { x: 75, y: 75 })).toBe(undefined)
  expect(hit(drawn, { x: 140, y: 40 })).toBe(undefined)
})

it('has coastlines and borders of the whole earth', async () => {
  const { coasts, borders } = await loadEarth()
  const points = coasts.flat()
  expect(borders.length).toBeGreaterThan(200)
  expect(points.length).toBeGreaterThan(4000)
  expect(points.every(({ x, y }) => x > -0.001 && x < 1.001 && y > -0.001 && y < 1.001)).toBe(true)
  // The Strait of Gibraltar has a coast.
  const strait = project([-5.6, 36])
  expect(points.some(({ x, y }) => Math.hypot(x - strait.x, y - strait.y) < 0.005)).toBe(true)
})
