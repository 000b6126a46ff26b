/** A field of a form with its title. */
import type { ComponentChildren } from 'preact'

interface Properties {
  title: string
  hint?: string
  children: ComponentChildren
}

export function Field({ title, hint, children }: Properties) {
  return (
    <label class="field">
      <span>{title}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  )
}
