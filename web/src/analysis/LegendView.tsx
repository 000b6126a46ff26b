/** The meaning of the colours of the drawn vertices. */
import { number } from '../lib/format'
import { type Legend, NO_COLOUR, SCALE } from './colours'
import { short } from './short'

/** Groups whose colours are listed. */
const MAX_GROUPS = 12
const MAX_TEXT = 40

export function LegendView({ legend }: { legend: Legend }) {
  const { column, range, groups = [], missing } = legend
  return (
    <p class="chips analysis-legend" aria-label={`Colours by ${column}`} role="group">
      <span class="muted">{column}</span>
      {range && range.least <= range.greatest && (
        <>
          <span>{short(range.least)}</span>
          <i class="scale" style={{ background: `linear-gradient(to right, ${SCALE.join(', ')})` }} />
          <span>
            {short(range.greatest)}
            {range.isLogarithmic && ', logarithmic'}
          </span>
        </>
      )}
      {groups.slice(0, MAX_GROUPS).map(({ text, colour, count }) => (
        <Chip key={text} colour={colour} text={`${text.slice(0, MAX_TEXT)}: ${number(count)}`} />
      ))}
      {groups.length > MAX_GROUPS && <span class="chip">{number(groups.length - MAX_GROUPS)} more</span>}
      {missing > 0 && <Chip colour={NO_COLOUR} text={`no value: ${number(missing)}`} />}
    </p>
  )
}

function Chip({ colour, text }: { colour: string; text: string }) {
  return (
    <span class="chip">
      <i class="dot" style={{ background: colour }} /> {text}
    </span>
  )
}
