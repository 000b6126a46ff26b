/** Fields for the labels and colours of a graph, and what the colours mean. */
import { Field } from '../component/Field'
import type { Style } from './picture'

/** Groups whose colours are listed. */
const MAX_GROUPS = 30

interface Properties {
  style: Style
  groups: Map<string, string>
  onChange: (style: Style) => void
}

export function StyleFields({ style, groups, onChange }: Properties) {
  return (
    <>
      <Field title="Label by">
        <input class="input" placeholder="_key" value={style.label} onChange={(event) => onChange({ ...style, label: event.currentTarget.value })} />
      </Field>
      <Field title="Colour by">
        <input class="input" placeholder="collection" value={style.colour} onChange={(event) => onChange({ ...style, colour: event.currentTarget.value })} />
      </Field>
      <Field title="Label edges by">
        <input class="input" placeholder="nothing" value={style.edge} onChange={(event) => onChange({ ...style, edge: event.currentTarget.value })} />
      </Field>
      <p class="chips">
        {[...groups].slice(0, MAX_GROUPS).map(([group, colour]) => (
          <span class="chip" key={group}>
            <i class="dot" style={{ background: colour }} /> {group}
          </span>
        ))}
      </p>
    </>
  )
}
