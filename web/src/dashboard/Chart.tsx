/** A line chart over time. */
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colourOf } from '../lib/colour'
import { theme } from '../lib/theme'
import { labels } from './metrics'

export interface Line {
  title: string
  /** The name of a colour variable. */
  colour: string
}

interface Properties {
  title: string
  lines: Line[]
  /** Seconds since 1970. */
  times: number[]
  /** The values of each line; `null` where there is none. */
  values: (number | null)[][]
  format: (value: number) => string
  /** The least value at the top of the chart: smaller ones are noise, and their labels would be equal. */
  least?: number
}

const HEIGHT = 150

export function Chart({ title, lines, times, values, format, least = 1 }: Properties) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const options = optionsOf(lines, { format, least }, (name) => colourOf(element, name), element.clientWidth)
    plot.current = new uPlot(options, [times, ...values], element)
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.current?.destroy()
    }
  }, [theme.value])
  useEffect(() => plot.current?.setData([times, ...values]), [times])
  const last = (line: number) => values[line]?.at(-1)
  return (
    <figure class="card chart">
      <figcaption>
        <b>{title}</b>
        {lines.map((line, index) => (
          <span key={line.title} class="legend">
            <i style={{ background: `var(${line.colour})` }} />
            {line.title} <span class="legend-value">{typeof last(index) === 'number' ? format(last(index) as number) : '–'}</span>
          </span>
        ))}
      </figcaption>
      <div ref={host} aria-hidden="true" />
    </figure>
  )
}

const clock = (second: number) => new Date(second * 1000).toLocaleTimeString('en-GB')

function optionsOf(lines: Line[], { format, least }: { format: (value: number) => string; least: number }, colour: (name: string) => string, width: number): uPlot.Options {
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '11px system-ui' }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, most) => [0, Math.max(least, most > 0 ? most * 1.1 : 0)] } },
    axes: [{ ...axis, size: 24, space: 80, values: (_, splits) => splits.map(clock) }, { ...axis, size: 64, values: (_, splits) => labels(splits, format) }],
    series: [{}, ...lines.map((line) => ({ stroke: colour(line.colour), width: 1.5, points: { show: false } }))],
  }
}
