/** Menus that close when the focus leaves them, and at Escape. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

export function useClosing(menu: RefObject<HTMLDetailsElement | null>) {
  useEffect(() => {
    const element = menu.current
    const close = () => {
      if (element) element.open = false
    }
    const leave = (event: FocusEvent) => event.relatedTarget !== null && (element?.contains(event.relatedTarget as Node) || close())
    const press = (event: PointerEvent) => element?.contains(event.target as Node) || close()
    const escape = (event: KeyboardEvent) => event.key === 'Escape' && close()
    element?.addEventListener('focusout', leave)
    element?.addEventListener('keydown', escape)
    document.addEventListener('pointerdown', press)
    return () => document.removeEventListener('pointerdown', press)
  }, [])
}
