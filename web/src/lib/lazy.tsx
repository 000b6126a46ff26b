/** Pages whose code is loaded when they are first shown, or before. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure } from './api'
import { useReturn } from './load'
import { ask } from './session'

/** A page that shows itself once its code is there. */
export interface Lazy<P extends object> {
  (properties: P): preact.JSX.Element
  /** Loads the code, so that the page is shown at once later. */
  preload: () => void
}

/** Returns why code could not be loaded: the server is away, or has other files than this page knows. */
async function probe(): Promise<unknown> {
  try {
    await ask({ method: 'GET', path: '/_admin/server/availability', database: '_system' }, { quiet: true })
  } catch (error) {
    if (error instanceof Failure && error.status === 0) return error
  }
  return new Error('missing')
}

/** Returns a page whose code is loaded by a call. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): Lazy<P> {
  let loaded: ComponentType<P> | undefined
  let loading: Promise<ComponentType<P>> | undefined
  const begin = () => {
    loading ??= load().then((page) => (loaded = page))
    // The next attempt loads again.
    loading.catch(() => (loading = undefined))
    return loading
  }
  function Lazy(properties: P) {
    const [Page, setPage] = useState<ComponentType<P> | undefined>(() => loaded)
    const [error, setError] = useState<unknown>()
    const show = () => void begin().then((page) => setPage(() => page), () => probe().then(setError))
    useEffect(() => {
      if (!Page) show()
    }, [])
    useReturn(error, show)
    if (Page) return <Page {...properties} />
    return <p class="page muted">{error ? 'This page could not be loaded. Reload it once the server is reachable.' : 'Loading …'}</p>
  }
  return Object.assign(Lazy, { preload: () => void begin().catch(() => {}) })
}
