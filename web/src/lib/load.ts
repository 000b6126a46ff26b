/** Values from the server in components. */
import { useEffect, useState } from 'preact/hooks'
import { Failure } from './api'
import { isAway } from './session'

/** A value that is loaded again when its keys change or `reload` is called. */
export interface Loaded<Value> {
  value: Value | undefined
  error: unknown
  reload: () => void
}

/** Loads a value. The old one stays until the new one is there. */
export function useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, keys: unknown[]): Loaded<Value> {
  const [state, setState] = useState<{ value?: Value; error?: unknown }>({})
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setState({ value }),
      (error) => !abort.signal.aborted && setState((old) => ({ value: old.value, error })),
    )
    return () => abort.abort()
  }, [...keys, turn])
  const reload = () => setTurn((turn) => turn + 1)
  useReturn(state.error, reload)
  return { value: state.value, error: state.error, reload }
}

/** Calls a function when the server is back after an error that came from its absence. */
export function useReturn(error: unknown, again: () => void) {
  const away = isAway.value
  useEffect(() => {
    if (!away && error instanceof Failure && error.status === 0) again()
  }, [away, error])
}

/** Calls a function again and again while the page is visible. */
export function useEvery(milliseconds: number, call: () => void) {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || call(), milliseconds)
    return () => clearInterval(timer)
  })
}
