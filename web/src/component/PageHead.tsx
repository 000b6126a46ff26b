/** The head of a page: its title, and what can be done there. */
import type { ComponentChildren } from 'preact'
import { link } from '../lib/address'

interface Properties {
  title: string
  /** The name and the title of the list that the page's object is from. */
  above?: readonly [string, string]
  children?: ComponentChildren
}

export function PageHead({ title, above, children }: Properties) {
  return (
    <div class="page-head">
      {above ? (
        <h1>
          <a class="crumbs" href={link([above[0]])}>
            {above[1]}
          </a>{' '}
          / {title}
        </h1>
      ) : (
        <h1>{title}</h1>
      )}
      {children}
    </div>
  )
}
