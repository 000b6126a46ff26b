/** A border that failures of components do not cross: the rest of the page stays usable. */
import { Component, type ComponentChildren } from 'preact'
import { messageOf } from '../lib/api'

interface Properties {
  /** What is inside, for the message. */
  title: string
  /** What is inside is tried again when this changes. */
  of?: unknown
  children: ComponentChildren
}

interface State {
  of?: unknown
  error?: unknown
}

export class Boundary extends Component<Properties, State> {
  static override getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('unknown') }
  }

  static override getDerivedStateFromProps({ of }: Properties, state: State): State | null {
    return of === state.of ? null : { of, error: undefined }
  }

  override render({ title, children }: Properties, { error }: State) {
    if (error === undefined) return children
    return (
      <p class="message is-error" role="alert">
        {title} cannot be shown: {messageOf(error)}{' '}
        <button type="button" class="button" onClick={() => this.setState({ error: undefined })}>
          Try again
        </button>
      </p>
    )
  }
}

/** Returns what a function makes, or a mark with the message of its failure. */
export function attempt(make: () => ComponentChildren): ComponentChildren {
  try {
    return make()
  } catch (error) {
    return (
      <span class="chip is-bad" title={messageOf(error)}>
        error
      </span>
    )
  }
}
