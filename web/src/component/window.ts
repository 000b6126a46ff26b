/** Which rows of a long table are in the page, and where. */

/** Browsers cut off elements that are much higher. */
const MAX_PIXELS = 15_000_000
/** Rows above and below those that are visible. */
const SPARE_ROWS = 12

export interface Window {
  /** The first row in the page, and the one behind the last. */
  first: number
  end: number
  /** Pixels above and below the rows. */
  above: number
  below: number
}

/**
 * Returns the rows for a place of the scroll bar, both in pixels.
 *
 * If all rows together are too high for a browser, a step of the scroll bar passes more rows.
 */
export function windowAt(top: number, height: number, count: number, rowPixels: number): Window {
  const all = count * rowPixels
  const total = Math.min(all, MAX_PIXELS)
  const ratio = total > height ? (all - height) / (total - height) : 1
  const visible = Math.floor((top * ratio) / rowPixels)
  const first = Math.max(0, visible - SPARE_ROWS)
  const end = Math.min(count, visible + Math.ceil(height / rowPixels) + 1 + SPARE_ROWS)
  const scrolled = ratio === 1 ? visible * rowPixels : top - ((top * ratio) % rowPixels)
  const above = Math.max(0, scrolled - (visible - first) * rowPixels)
  return { first, end, above, below: Math.max(0, total - above - (end - first) * rowPixels) }
}
