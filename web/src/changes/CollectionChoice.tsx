/** A menu of collections to choose from. */
import { useRef } from 'preact/hooks'
import { toggled } from '../component/arrangement'
import { useClosing } from '../component/closing'
import { database } from '../lib/address'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'

interface Properties {
  /** The names of those that are chosen; none stands for all. */
  chosen: string[]
  onChange: (chosen: string[]) => void
}

const load = async (signal: AbortSignal) => {
  const { result } = await ask<{ result: { name: string; isSystem: boolean }[] }>({ method: 'GET', path: '/_api/collection' }, { quiet: true, signal })
  return result.sort((left, right) => Number(left.isSystem) - Number(right.isSystem) || left.name.localeCompare(right.name)).map(({ name }) => name)
}

/** Returns a short text for chosen collections. */
const titleOf = (chosen: string[]) => (chosen.length === 0 ? 'All collections' : chosen.length > 2 ? `${chosen.length} collections` : chosen.join(', '))

export function CollectionChoice({ chosen, onChange }: Properties) {
  const menu = useRef<HTMLDetailsElement>(null)
  useClosing(menu)
  const { value = [] } = useLoaded(load, [database.value])
  const names = [...new Set([...value, ...chosen])]
  return (
    <details class="menu column-menu collection-menu" ref={menu}>
      <summary class="button">{titleOf(chosen)}</summary>
      <div class="menu-list">
        {names.length === 0 && <p class="muted">There are no collections yet.</p>}
        {names.map((name) => (
          <label class="check" key={name}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => onChange(toggled(chosen, name))} />
            <span class="who">{name}</span>
          </label>
        ))}
        {chosen.length > 0 && (
          <button type="button" class="button" onClick={() => onChange([])}>
            All collections
          </button>
        )}
      </div>
    </details>
  )
}
