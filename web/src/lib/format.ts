/** Numbers, sizes and times for readers. */

/** Made when it is first used: that takes longer than all else before the first request. */
let grouped: Intl.NumberFormat | undefined

/** Returns a number with groups of three digits. */
export function number(value: number): string {
  grouped ??= new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
  return grouped.format(value)
}

/** Returns bytes in the unit that suits them. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit]}`
}

/** Returns seconds in the unit that suits them. */
export function seconds(value: number): string {
  if (value >= 120) return `${Math.floor(value / 60)} min ${Math.floor(value % 60)} s`
  if (value >= 1) return `${value.toFixed(2)} s`
  if (value >= 1e-3) return `${(value * 1e3).toFixed(value >= 0.1 ? 0 : 2)} ms`
  return `${(value * 1e6).toFixed(0)} µs`
}
