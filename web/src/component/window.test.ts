import { expect, it } from 'vitest'
import { windowAt } from './window'

it('has the visible rows and some more, at their places', () => {
  expect(windowAt(0, 320, 1000, 32)).toEqual({ first: 0, end: 23, above: 0, below: (1000 - 23) * 32 })
  expect(windowAt(3200, 320, 1000, 32)).toEqual({ first: 88, end: 123, above: 88 * 32, below: (1000 - 123) * 32 })
  expect(windowAt(0, 320, 3, 32)).toEqual({ first: 0, end: 3, above: 0, below: 0 })
  expect(windowAt(0, 320, 0, 32)).toEqual({ first: 0, end: 0, above: 0, below: 0 })
})

it('reaches the last of many rows', () => {
  const total = 15_000_000
  const { first, end, above, below } = windowAt(total - 320, 320, 5_000_000, 32)
  expect(end).toBe(5_000_000)
  expect(first).toBeGreaterThan(5_000_000 - 40)
  expect(Math.abs(above + (end - first) * 32 + below - total)).toBeLessThan(64)
})
