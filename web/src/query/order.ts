/** The order of values in JSON, as AQL sorts them. */

/** `null` comes before booleans, numbers, texts, arrays and objects. */
function rank(json: string | undefined): number {
  if (json === undefined || json === 'null') return 0
  if (json === 'true' || json === 'false') return 1
  return { '"': 3, '[': 4, '{': 5 }[json.charAt(0)] ?? 2
}

/** Compares two values. */
export function compareJson(left: string | undefined, right: string | undefined): number {
  const ranks = rank(left) - rank(right)
  if (ranks !== 0 || left === undefined || right === undefined) return ranks
  if (rank(left) === 2) return Number(left) - Number(right)
  if (rank(left) === 3) return (JSON.parse(left) as string).localeCompare(JSON.parse(right) as string, 'en')
  return left < right ? -1 : Number(left > right)
}

/** Returns the positions of values in their order; equal ones keep theirs. */
export function ordered(values: (string | undefined)[], isDescending: boolean): number[] {
  const sign = isDescending ? -1 : 1
  return values.map((_, at) => at).sort((left, right) => sign * compareJson(values[left], values[right]))
}
