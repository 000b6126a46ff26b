/** Colours and sizes of vertices by the values of a result. */
import { COLOURS } from '../graph/picture'

export const KINDS = ['Scale', 'Logarithmic scale', 'Distinct colours'] as const
export type Kind = (typeof KINDS)[number]

/** The colours of a scale from the least value to the greatest. They are visible on light and dark. */
export const SCALE = ['#5b62d6', '#a452b0', '#cf4f6d', '#d9822b']
/** The colour of a vertex without a value. */
export const NO_COLOUR = '#a9a9a9'

const SIZES = { least: 4, greatest: 16 }

/** The meaning of the colours. */
export interface Legend {
  column: string
  /** The least and the greatest value of a scale. */
  range?: { least: number; greatest: number; isLogarithmic: boolean }
  /** The values with colours of their own, the most frequent first. */
  groups?: { text: string; colour: string; count: number }[]
  /** The number of vertices without a value. */
  missing: number
}

/** The columns whose numbers name groups. */
const GROUPS = /^(component|community|label|side)$/

const isNumber = (value: unknown): value is number => typeof value === 'number'
const hasValue = (value: unknown) => value !== null && value !== undefined

/** Returns the kind of colours that suits the values of a column. */
export function kindOf(column: string, values: unknown[]): Kind {
  return !GROUPS.test(column) && values.filter(hasValue).every(isNumber) ? 'Scale' : 'Distinct colours'
}

/** Returns those of the columns whose values are numbers. */
export function numericColumns(columns: string[], rows: Iterable<Record<string, unknown>>): string[] {
  const all = [...rows]
  return columns.filter((column) => all.some((row) => isNumber(row[column])) && all.every((row) => !hasValue(row[column]) || isNumber(row[column])))
}

export function rangeOf(values: unknown[], isLogarithmic: boolean): NonNullable<Legend['range']> {
  const range = { least: Number.POSITIVE_INFINITY, greatest: Number.NEGATIVE_INFINITY, isLogarithmic }
  for (const value of values.filter(isNumber)) {
    if (isLogarithmic && value <= 0) continue
    range.least = Math.min(range.least, value)
    range.greatest = Math.max(range.greatest, value)
  }
  return range
}

/** Returns the place of a number in a range, from 0 to 1. A logarithmic scale puts zero and less at its beginning. */
export function placeIn({ least, greatest, isLogarithmic }: NonNullable<Legend['range']>, value: number): number {
  if (!(greatest > least)) return 0.5
  const on = (one: number) => (isLogarithmic ? Math.log(one) : one)
  const place = isLogarithmic && value <= 0 ? 0 : (on(value) - on(least)) / (on(greatest) - on(least))
  return Math.min(1, Math.max(0, place))
}

const hex = (channel: number) => Math.round(channel).toString(16).padStart(2, '0')

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** Returns the colour at a place of the scale, from 0 to 1. */
export function scaleColour(place: number): string {
  const at = place * (SCALE.length - 1)
  const first = Math.min(Math.floor(at), SCALE.length - 2)
  const [from, to] = [channels(SCALE[first] as string), channels(SCALE[first + 1] as string)]
  return `#${from.map((channel, index) => hex(channel + ((to[index] as number) - channel) * (at - first))).join('')}`
}

/** Returns a size for a place in a range. */
export const sizeAt = (place: number) => SIZES.least + (SIZES.greatest - SIZES.least) * place

/** Returns the colour of a group by its number: first those of the picture, then others of all hues. */
export function groupColour(number: number): string {
  const known = COLOURS[number]
  if (known) return known
  // The golden angle keeps hues apart, whatever their number.
  const hue = (number * 137.508) % 360
  const lightness = [0.45, 0.6, 0.52][number % 3] as number
  const spread = 0.55 * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12
    return hex(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}

/** Returns the text of a group; `undefined` for no value. */
export function groupText(value: unknown): string | undefined {
  if (!hasValue(value)) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Counts groups and gives each a colour, the most frequent first. Those in `known` keep theirs; the
 * others are added to it.
 */
export function groupsOf(values: unknown[], known: Map<string, string>): NonNullable<Legend['groups']> {
  const counts = new Map<string, number>()
  for (const value of values) {
    const text = groupText(value)
    if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, left], [, right]) => right - left)
  for (const [text] of sorted) if (!known.has(text)) known.set(text, groupColour(known.size))
  return sorted.map(([text, count]) => ({ text, count, colour: known.get(text) as string }))
}
