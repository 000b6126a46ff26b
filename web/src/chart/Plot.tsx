/** A chart of series. The arrow keys go from one value to the next. */
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colourOf } from '../lib/colour'
import { number } from '../lib/format'
import { theme } from '../lib/theme'
import type { ChartKind, Series } from './series'

interface Properties {
  kind: ChartKind
  data: Series
  /** The titles of the columns of values. */
  titles: string[]
  label: string
}

/** Variables of colours, in the order of the columns. */
export const COLOURS = ['--accent', '--code-keyword', '--code-number', '--code-function', '--code-parameter', '--code-name']

export const colourAt = (index: number) => COLOURS[index % COLOURS.length] as string

export function Plot({ kind, data, titles, label }: Properties) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const [at, setAt] = useState<number>()
  useEffect(() => {
    const element = host.current
    if (!element) return
    const size = () => ({ width: element.clientWidth, height: Math.max(element.clientHeight, 160) })
    const options = { ...optionsOf(kind, data, (name) => colourOf(element, name), setAt), ...size() }
    const drawn = new uPlot(options, [data.xs, ...data.values] as uPlot.AlignedData, element)
    plot.current = drawn
    const observer = new ResizeObserver(() => drawn.setSize(size()))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
    }
  }, [kind, data, theme.value])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step || !plot.current) return
    event.preventDefault()
    const next = at === undefined ? 0 : Math.min(data.xs.length - 1, Math.max(0, at + step))
    plot.current.setCursor({ left: plot.current.valToPos(data.xs[next] as number, 'x'), top: 0 })
    setAt(next)
  }
  return (
    <>
      <p class="chart-value" role="status">
        {at === undefined ? <span class="muted">Point at the chart or use the arrow keys to see values.</span> : <Values data={data} titles={titles} at={at} />}
      </p>
      <div class="chart-host" ref={host} role="slider" tabIndex={0} aria-label={label} aria-valuemin={0} aria-valuemax={data.xs.length - 1} aria-valuenow={at ?? 0} aria-valuetext={textOf(data, data.xs[at ?? 0] ?? 0)} onKeyDown={onKeyDown} />
    </>
  )
}

function Values({ data, titles, at }: { data: Series; titles: string[]; at: number }) {
  return (
    <>
      <b>{textOf(data, data.xs[at] ?? 0)}</b>
      {titles.map((title, index) => (
        <span key={title} class="legend">
          <i style={{ background: `var(${colourAt(index)})` }} />
          {title} <span class="legend-value">{data.values[index]?.[at] ?? '–'}</span>
        </span>
      ))}
    </>
  )
}

/** Returns the text of a place on the x axis; an empty one between two texts. */
function textOf(data: Series, x: number): string {
  if (data.axis === 'text') return Number.isInteger(x) ? (data.labels[x] ?? '') : ''
  if (data.axis === 'time') return new Date(x * 1000).toISOString().replace('T', ' ').replace(/\.000Z|Z$/, '')
  // Without groups of digits: many of these numbers are years.
  return String(Number(x.toPrecision(12)))
}

function optionsOf(kind: ChartKind, data: Series, colour: (name: string) => string, onPoint: (at: number | undefined) => void): Omit<uPlot.Options, 'width' | 'height'> {
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '11px system-ui' }
  const bars = kind === 'Bars' ? uPlot.paths.bars?.({ size: [0.7, 60] }) : undefined
  const lineOf = (index: number): uPlot.Series => {
    const stroke = colour(colourAt(index))
    if (kind === 'Points') return { stroke, paths: () => null, points: { show: true, size: 6, fill: stroke } }
    return { stroke, width: 1.5, fill: bars && `color-mix(in srgb, ${stroke} 35%, transparent)`, paths: bars, points: { show: kind === 'Line' && data.xs.length === 1 }, spanGaps: false }
  }
  const isText = data.axis === 'text'
  const space = isText ? 80 : 60
  return {
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { y: false, drag: { x: true, y: false } },
    scales: {
      x: { time: data.axis === 'time', range: (_, least, most) => padded(least, most, kind === 'Bars' || isText ? 0.5 : 0) },
      y: { range: (_, least, most) => (kind === 'Bars' ? padded(Math.min(0, least), Math.max(0, most), 0) : padded(least, most, 0)) },
    },
    axes: [{ ...axis, space, incrs: isText ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] : undefined, values: data.axis === 'time' ? undefined : (_, splits) => splits.map((split) => textOf(data, split).slice(0, 14)) }, { ...axis, size: 64, values: (_, splits) => splits.map(number) }],
    series: [{}, ...data.values.map((_, index) => lineOf(index))],
    hooks: { setCursor: [(drawn) => onPoint(drawn.cursor.idx ?? undefined)] },
  }
}

/** Returns the ends of a scale; values that are all the same get some room. */
function padded(least: number, most: number, room: number): [number, number] {
  if (!Number.isFinite(least) || !Number.isFinite(most)) return [0, 1]
  const extra = least === most ? Math.max(0.5, Math.abs(least) * 0.1) : (most - least) * 0.04
  return [least - Math.max(room, extra), most + Math.max(room, extra)]
}
