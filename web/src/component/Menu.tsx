/** A button that opens a list of actions. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useClosing } from './closing'

interface Properties {
  title: ComponentChildren
  /** The actions by their titles. */
  actions: Record<string, () => void>
}

export function Menu({ title, actions }: Properties) {
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  useClosing(menu)
  return (
    <details class="menu" ref={menu}>
      <summary class="button">{title}</summary>
      <div class="menu-list">
        {Object.entries(actions).map(([name, act]) => (
          <button
            type="button"
            class="button is-quiet"
            key={name}
            onClick={() => {
              close()
              act()
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </details>
  )
}
