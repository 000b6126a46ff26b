/**
 * Values that outlive a reload of this tab, in its own storage.
 *
 * Another tab, another origin and the next start of the browser do not see them. They belong to a
 * user: another user does not get them.
 */
import { prefix } from './address'

/** The characters of a value that are kept; more would fill the storage. */
const MAX_CHARACTERS = 4_000_000

export class TabStore<Value> {
  private readonly key: string

  constructor(name: string) {
    // A proxy may have several servers at one origin.
    this.key = `persea-${name}:${prefix}`
  }

  /** Returns the value of a user, if there is one. */
  read(user: string | null): Value | undefined {
    try {
      const stored = JSON.parse(sessionStorage.getItem(this.key) ?? 'null') as { user: string | null; value: Value } | null
      if (stored && stored.user === user) return stored.value
      this.forget()
      return undefined
    } catch {
      return undefined
    }
  }

  /** Keeps a value. Without storage, or if it is full, nothing outlives a reload. */
  write(user: string | null, value: Value) {
    try {
      const text = JSON.stringify({ user, value })
      if (text.length <= MAX_CHARACTERS) sessionStorage.setItem(this.key, text)
      else this.forget()
    } catch {
      this.forget()
    }
  }

  forget() {
    try {
      sessionStorage.removeItem(this.key)
    } catch {
      // The browser keeps nothing for this page.
    }
  }
}
