/** A button that copies a text, and says that it did. */
import { useState } from 'preact/hooks'
import { copy } from './CopyCurl'

export function CopyText({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  const act = async () => {
    await copy(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button type="button" class="button" disabled={text === ''} onClick={act}>
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
    </button>
  )
}
