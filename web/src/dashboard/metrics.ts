/** Metrics in Prometheus' text format. */

/** The values by name; labels are part of the name, as in `total{code="2xx"}`. */
export type Metrics = Map<string, number>

/** Parses the text. Comments and lines that are no samples are left out. */
export function parse(text: string): Metrics {
  const found: Metrics = new Map()
  for (const line of text.split('\n')) {
    const sample = /^([A-Za-z_:][\w:]*(?:\{[^}]*\})?) (\S+)/.exec(line)
    if (sample?.[1]) found.set(sample[1], Number(sample[2]))
  }
  return found
}

/** Metrics at a time in milliseconds. */
export interface Sample {
  time: number
  metrics: Metrics
}

/** Returns the labels of an axis. Of values with the same text, the first has it. */
export function labels(values: number[], format: (value: number) => string): string[] {
  const texts = values.map(format)
  return texts.map((text, at) => (texts.indexOf(text) === at ? text : ''))
}

/** Returns how much a counter grew each second between two samples; 0 after a restart of the server. */
export function rate(name: string, before: Sample, after: Sample): number {
  const grown = (after.metrics.get(name) ?? 0) - (before.metrics.get(name) ?? 0)
  return grown <= 0 ? 0 : (grown * 1000) / (after.time - before.time)
}

/** Returns the mean of what a histogram observed between two samples; `null` if that is nothing. */
export function mean(name: string, before: Sample, after: Sample): number | null {
  const count = rate(`${name}_count`, before, after)
  return count === 0 ? null : rate(`${name}_sum`, before, after) / count
}
