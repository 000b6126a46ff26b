/** The columns of tables as the user wants them: hidden, frozen at the left, and wider. */
import { signal } from '@preact/signals'
import { whenUserChanges } from '../lib/session'
import type { Choices } from './arrangement'

const LEAST_WIDTH = 60
const NONE: Choices = { hidden: [], frozen: [], widths: {} }

const all = signal<Record<string, Choices>>({})

whenUserChanges(() => (all.value = {}))

/** Returns the choices for a table, which outlive its page. */
export function choicesOf(table: string): Choices {
  return all.value[table] ?? NONE
}

/** Changes choices. */
export function choose(table: string, change: Partial<Choices>) {
  all.value = { ...all.value, [table]: { ...choicesOf(table), ...change } }
}

/** Sets the width of a column. */
export function widen(table: string, title: string, pixels: number) {
  choose(table, { widths: { ...choicesOf(table).widths, [title]: Math.max(LEAST_WIDTH, Math.round(pixels)) } })
}
