/** The rows of a result as a chart of chosen columns. */
import { useMemo, useState } from 'preact/hooks'
import { Select } from '../component/Select'
import { Tabs } from '../component/Tabs'
import { chartColumns, type ChartKind, KINDS, MAX_ROWS, series } from '../chart/series'
import { colourAt, Plot } from '../chart/Plot'
import { number } from '../lib/format'
import '../style/chart.css'

export function ChartResult({ rows, count }: { rows: string[]; count: number }) {
  const columns = useMemo(() => chartColumns(rows), [rows])
  const [kind, setKind] = useState<ChartKind>('Line')
  const [x, setX] = useState(() => columns.all.find((name) => !columns.numeric.includes(name)) ?? (columns.all.length > 1 ? columns.all[0] : '') ?? '')
  const [chosen, setChosen] = useState(() => columns.numeric.filter((name) => name !== x).slice(0, 1))
  const data = useMemo(() => series(rows, x, chosen), [rows, count, x, chosen])
  const toggle = (name: string) => setChosen(chosen.includes(name) ? chosen.filter((one) => one !== name) : columns.numeric.filter((one) => one === name || chosen.includes(one)))
  const label = `${kind} of ${chosen.join(', ') || 'nothing'} over ${x || 'the rows'}, ${number(data.xs.length)} values each`
  return (
    <div class="chart-result">
      <div class="chart-choices">
        <Tabs label="Kind of chart" names={KINDS} chosen={kind} onChoose={setKind} />
        <label class="side-row">
          <span class="muted">x</span>
          <Select label="Column of the x axis" value={x} options={[['', 'row number'], ...columns.all]} onChange={setX} />
        </label>
        <fieldset class="chips" aria-label="Columns of the y axis">
          {columns.numeric.map((name) => (
            <label class="check" key={name}>
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
              {chosen.includes(name) && <i class="dot" style={{ background: `var(${colourAt(chosen.indexOf(name))})` }} />}
              {name}
            </label>
          ))}
        </fieldset>
      </div>
      {count > MAX_ROWS && <p class="muted">The chart has the first {number(MAX_ROWS)} rows.</p>}
      <Plot kind={kind} data={data} titles={chosen} label={label} />
    </div>
  )
}
