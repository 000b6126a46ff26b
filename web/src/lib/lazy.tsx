/** Pages whose code is loaded when they are first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Returns a page that shows itself once its code is there. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (properties: P) => preact.JSX.Element {
  let loaded: ComponentType<P> | undefined
  return function Lazy(properties: P) {
    const [Page, setPage] = useState<ComponentType<P> | undefined>(() => loaded)
    const [error, setError] = useState('')
    useEffect(() => {
      if (loaded) return
      load().then(
        (page) => {
          loaded = page
          setPage(() => page)
        },
        () => setError('This page could not be loaded. Reload when the server is back.'),
      )
    }, [])
    if (Page) return <Page {...properties} />
    return <p class="page muted">{error || 'Loading …'}</p>
  }
}
