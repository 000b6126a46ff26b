/** Dark and light: the system's choice, or the user's. */
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const NAME = 'persea-theme'

function stored(): Theme {
  try {
    const value = localStorage.getItem(NAME)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    // The browser keeps nothing for this page.
    return 'system'
  }
}

export const theme = signal<Theme>(stored())

effect(() => {
  document.documentElement.dataset.theme = theme.value
  try {
    localStorage.setItem(NAME, theme.value)
  } catch {
    // The choice holds for this page only.
  }
})

/** Goes from the system's choice to light, dark, and back. */
export function nextTheme() {
  theme.value = ({ system: 'light', light: 'dark', dark: 'system' } as const)[theme.value]
}
