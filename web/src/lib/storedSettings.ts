/** Settings that are stored in the user's configuration on the server. */
import { type Signal, signal } from '@preact/signals'
import { path } from './api'
import { ask, user, whenUserChanges } from './session'

/** Milliseconds after the last change until it is stored. */
const PAUSE = 1000

export class StoredSetting<Value> {
  readonly value: Signal<Value>
  private loading: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined

  /** `read` makes a value of what the configuration has: `null` at first. */
  constructor(
    private readonly key: string,
    private readonly read: (stored: unknown) => Value,
  ) {
    this.value = signal(read(null))
    whenUserChanges(() => {
      clearTimeout(this.timer)
      this.loading = undefined
      this.value.value = read(null)
    })
  }

  // Without authentication there is one configuration for all.
  private address(): string {
    return path`/_api/user/${user.value ?? 'root'}/config/${this.key}`
  }

  /** Loads the value once. */
  load(): Promise<void> {
    this.loading ??= ask<{ result: unknown }>({ method: 'GET', path: this.address() }, { quiet: true }).then(
      ({ result }) => void (this.value.value = this.read(result)),
      (error) => {
        this.loading = undefined
        throw error
      },
    )
    return this.loading
  }

  /** Changes the value, and stores it a little later. */
  store(next: Value) {
    this.value.value = next
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      ask({ method: 'PUT', path: this.address(), body: { value: next } }, { quiet: true }).catch(() => {})
    }, PAUSE)
  }
}
