/** A field of a form for a definition in JSON. */
import type { Signal } from '@preact/signals'
import { Editor } from './Editor'

export function DefinitionField({ title, text, note }: { title: string; text: Signal<string>; note?: string }) {
  return (
    <div class="field">
      <span>{title}</span>
      <div class="card definition">
        <Editor language="json" label={title} text={text} />
      </div>
      {note && <small role="status">{note}</small>}
    </div>
  )
}
