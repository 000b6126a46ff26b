/** The links of a view as a form: collections, their fields, and Analyzers of both. */
import type { Signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Select } from '../component/Select'
import { database } from '../lib/address'
import { useLoaded } from '../lib/load'
import { analyzerNames } from '../lib/names'
import { collectionNames } from '../query/completion'
import { AnalyzerChoice } from './AnalyzerChoice'
import { type Link, linksOf, withAnalyzers, without, withLinks } from './form'

export function LinksForm({ text }: { text: Signal<string> }) {
  const { value: collections = [] } = useLoaded(collectionNames, [database.value])
  const { value: analyzers = [] } = useLoaded(analyzerNames, [database.value])
  const links = linksOf(text.value)
  if (!links) return <p class="hint muted">The JSON cannot be shown as a form.</p>
  const set = (next: Record<string, Link | null>) => (text.value = withLinks(text.value, next))
  const free = collections.filter((name) => !(name in links))
  return (
    <div class="view-form">
      {Object.entries(links).map(
        ([name, link]) =>
          link && <LinkFields key={name} name={name} link={link} analyzers={analyzers} onChange={(changed) => set({ ...links, [name]: changed })} onRemove={() => set(without(links, name))} />,
      )}
      <Select label="Add a collection" value="" options={[['', 'Add a collection …'], ...free]} onChange={(name) => name && set({ ...links, [name]: { includeAllFields: true } })} />
    </div>
  )
}

interface LinkProperties {
  name: string
  link: Link
  analyzers: string[]
  onChange: (link: Link) => void
  onRemove: () => void
}

function LinkFields({ name, link, analyzers, onChange, onRemove }: LinkProperties) {
  const fields = link.fields ?? {}
  const [added, setAdded] = useState('')
  const add = () => {
    if (added.trim() !== '') onChange({ ...link, fields: { ...fields, [added.trim()]: {} } })
    setAdded('')
  }
  return (
    <fieldset class="card view-link" aria-label={`Link of ${name}`}>
      <div class="side-row">
        <b class="mono who">{name}</b>
        <button type="button" class="icon-button" aria-label={`Remove ${name}`} onClick={onRemove}>
          ✕
        </button>
      </div>
      <div class="link-row">
        <label class="check">
          <input type="checkbox" checked={link.includeAllFields ?? false} onChange={(event) => onChange({ ...link, includeAllFields: event.currentTarget.checked })} />
          All attributes
        </label>
        <AnalyzerChoice label={name} chosen={link.analyzers ?? []} names={analyzers} onChange={(chosen) => onChange(withAnalyzers(link, chosen))} />
      </div>
      {Object.entries(fields).map(([field, one]) => (
        <div class="link-row" key={field}>
          <span class="side-row">
            <code class="who">{field}</code>
            <button type="button" class="icon-button" aria-label={`Remove ${field}`} onClick={() => onChange({ ...link, fields: without(fields, field) })}>
              ✕
            </button>
          </span>
          <AnalyzerChoice label={field} chosen={one.analyzers ?? []} names={analyzers} onChange={(chosen) => onChange({ ...link, fields: { ...fields, [field]: withAnalyzers(one, chosen) } })} />
        </div>
      ))}
      <div class="side-row">
        <input
          class="input"
          aria-label={`Attribute of ${name}`}
          placeholder="title, or address.city"
          value={added}
          onInput={(event) => setAdded(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
        <button type="button" class="button" onClick={add}>
          Add attribute
        </button>
      </div>
    </fieldset>
  )
}
