/** Numbers of results for legends and statistics. */
import { number } from '../lib/format'

/** Returns a number with three significant digits, or all digits of an integer. */
export function short(value: number): string {
  if (Number.isInteger(value)) return number(value)
  const rounded = Number(value.toPrecision(3))
  return Math.abs(rounded) < 1 ? String(rounded) : number(rounded)
}
