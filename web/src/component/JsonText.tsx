/** JSON to read: a text that wraps, or lines of which only the visible ones are in the page. */
import { useMemo } from 'preact/hooks'
import { Lines } from './Lines'

/** Characters beyond which a browser would need seconds to lay the text out. */
const MAX_CHARACTERS = 200_000

export function JsonText({ text, label }: { text: string; label: string }) {
  const lines = useMemo(() => (text.length > MAX_CHARACTERS ? text.split('\n') : undefined), [text])
  if (!lines) {
    return (
      <pre class="dialog-body row-json" tabIndex={0} aria-label={label}>
        {text}
      </pre>
    )
  }
  return (
    <div class="long-text">
      <Lines label={label} lines={lines} />
    </div>
  )
}
