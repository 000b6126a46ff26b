/** A menu that hides and freezes the columns of a table. */
import { useRef } from 'preact/hooks'
import { toggled } from './arrangement'
import { useClosing } from './closing'
import { choicesOf, choose } from './columnChoices'

/** The attributes that every document has beside its key. */
const SYSTEM = ['_id', '_rev']

export function ColumnMenu({ table, titles }: { table: string; titles: string[] }) {
  const menu = useRef<HTMLDetailsElement>(null)
  useClosing(menu)
  const { hidden, frozen } = choicesOf(table)
  const system = SYSTEM.filter((one) => titles.includes(one))
  const areHidden = system.every((one) => hidden.includes(one))
  const others = hidden.filter((one) => !system.includes(one))
  return (
    <details class="menu column-menu" ref={menu}>
      <summary class="button is-quiet">{hidden.length > 0 ? `Columns (${hidden.length} hidden)` : 'Columns'}</summary>
      <div class="menu-list">
        {system.length > 0 && (
          <label class="check">
            <input type="checkbox" checked={!areHidden} onChange={() => choose(table, { hidden: areHidden ? others : [...others, ...system] })} />
            {system.join(' and ')}
          </label>
        )}
        {titles.map((title) => (
          <fieldset class="column-choice" key={title} aria-label={title}>
            <label class="check">
              <input type="checkbox" checked={!hidden.includes(title)} onChange={() => choose(table, { hidden: toggled(hidden, title) })} />
              <span class="who">{title}</span>
            </label>
            <label class="check muted">
              <input type="checkbox" checked={frozen.includes(title)} onChange={() => choose(table, { frozen: toggled(frozen, title) })} />
              freeze
            </label>
          </fieldset>
        ))}
        <button type="button" class="button" onClick={() => choose(table, { hidden: [], frozen: [], widths: {} })}>
          Reset
        </button>
      </div>
    </details>
  )
}
