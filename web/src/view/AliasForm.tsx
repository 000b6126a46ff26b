/** The inverted indexes of a search-alias view as a form. */
import type { Signal } from '@preact/signals'
import { Select } from '../component/Select'
import { database } from '../lib/address'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { collectionNames } from '../query/completion'
import { type Alias, aliasesOf, withAliases } from './form'

/** Returns the inverted indexes of all collections. */
async function inverted(signal: AbortSignal): Promise<Alias[]> {
  const of = async (collection: string) => {
    const query = new URLSearchParams({ collection })
    const { indexes } = await ask<{ indexes: { name: string; type: string }[] }>({ method: 'GET', path: `/_api/index?${query}` }, { quiet: true, signal })
    return indexes.filter((one) => one.type === 'inverted').map((one) => ({ collection, index: one.name }))
  }
  // The user may not read all of them.
  const all = await Promise.allSettled((await collectionNames()).map(of))
  return all.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

const textOf = ({ collection, index }: Alias) => `${collection} / ${index}`

export function AliasForm({ text }: { text: Signal<string> }) {
  const { value: known = [] } = useLoaded(inverted, [database.value])
  const chosen = aliasesOf(text.value)
  if (!chosen) return <p class="hint muted">The JSON cannot be shown as a form.</p>
  const set = (next: Alias[]) => (text.value = withAliases(text.value, next))
  const names = new Set(chosen.map(textOf))
  const free = known.filter((one) => !names.has(textOf(one)))
  const add = (name: string) => {
    const found = free.find((one) => textOf(one) === name)
    if (found) set([...chosen, found])
  }
  return (
    <div class="view-form">
      {chosen.map((one) => (
        <div class="side-row" key={textOf(one)}>
          <code class="who">{textOf(one)}</code>
          <button type="button" class="icon-button" aria-label={`Remove ${textOf(one)}`} onClick={() => set(chosen.filter((other) => other !== one))}>
            ✕
          </button>
        </div>
      ))}
      <Select label="Add an inverted index" value="" options={[['', free.length === 0 ? 'There are no other inverted indexes' : 'Add an inverted index …'], ...free.map(textOf)]} onChange={add} />
    </div>
  )
}
