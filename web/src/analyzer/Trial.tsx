/** A box that shows the tokens which an analyzer makes of a text. */
import { useState } from 'preact/hooks'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'

async function tokens(text: string, analyzer: string, signal: AbortSignal): Promise<unknown[]> {
  if (text === '' || analyzer === '') return []
  const body = { query: 'RETURN TOKENS(@text, @analyzer)', bindVars: { text, analyzer } }
  return (await ask<{ result: [unknown[]] }>({ method: 'POST', path: '/_api/cursor', body }, { quiet: true, signal })).result[0]
}

export function Trial({ names }: { names: string[] }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('text_en')
  const analyzer = names.includes(chosen) ? chosen : (names[0] ?? '')
  const { value = [], error } = useLoaded((signal) => tokens(text, analyzer, signal), [text, analyzer])
  return (
    <section class="card card-body" aria-label="Try an analyzer">
      <div class="form-row">
        <Field title="Try">
          <Select value={analyzer} options={names} onChange={setChosen} />
        </Field>
        <Field title="Text">
          <input class="input" placeholder="The quick brown foxes" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
      </div>
      <ErrorMessage error={error} />
      <p class="chips" role="status" aria-label="Tokens">
        {value.map((token, index) => (
          <span class="chip" key={index}>
            {typeof token === 'string' ? token : JSON.stringify(token)}
          </span>
        ))}
      </p>
    </section>
  )
}
