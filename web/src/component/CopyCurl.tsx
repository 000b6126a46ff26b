/** A button that copies a request as a command line. */
import { useState } from 'preact/hooks'
import { database, prefix } from '../lib/address'
import { bodyOf, type Call, curl } from '../lib/api'
import { user } from '../lib/session'

/** Copies a text. Without a secure context there is no clipboard, so the text is selected by hand. */
export async function copy(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** Characters of a body that the title of the button has. */
const MAX_TITLE = 2000

export function CopyCurl({ call }: { call: Call }) {
  const [isCopied, setCopied] = useState(false)
  // Not before it is asked for: a body may be long.
  const text = () => curl(call, database.value, location.origin + prefix, user.value)
  const isShort = (bodyOf(call)?.length ?? 0) < MAX_TITLE
  const act = async () => {
    await copy(text())
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button type="button" class="button is-quiet" onClick={act} title={isShort ? text() : undefined}>
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy as curl'}</span>
    </button>
  )
}
