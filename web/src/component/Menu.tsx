/** A button that opens a list of actions. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

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
  useEffect(() => {
    const element = menu.current
    const leave = (event: FocusEvent) => element?.contains(event.relatedTarget as Node | null) || close()
    const escape = (event: KeyboardEvent) => event.key === 'Escape' && close()
    element?.addEventListener('focusout', leave)
    element?.addEventListener('keydown', escape)
  }, [])
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
