/** Dark and light: the system's choice, or the user's. */
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const NAME = 'persea-theme'

function stored(): Theme {
  const value = localStorage.getItem(NAME)
  return value === 'light' || value === 'dark' ? value : 'system'
}

export const theme = signal<Theme>(stored())

effect(() => {
  document.documentElement.dataset.theme = theme.value
  localStorage.setItem(NAME, theme.value)
})

/** Goes from the system's choice to light, dark, and back. */
export function nextTheme() {
  theme.value = ({ system: 'light', light: 'dark', dark: 'system' } as const)[theme.value]
}
