/** A form of the configuration or the dependencies of a service. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { messageOf } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask } from '../lib/session'
import { changes, type Kind, pathOf, type Service, type Setting, type Settings, textOf } from './state'

const TITLES: Record<Kind, string> = { configuration: 'Configuration', dependencies: 'Dependencies' }
const EMPTY: Record<Kind, string> = { configuration: 'The service has no configuration.', dependencies: 'The service needs no other one.' }

export function SettingsForm({ mount, kind }: { mount: string; kind: Kind }) {
  const { value: loaded, error } = useLoaded((signal) => ask<Settings>({ method: 'GET', path: pathOf(kind, mount) }, { signal }), [mount])
  const { value: services = [] } = useLoaded(async (signal) => (kind === 'dependencies' ? ask<Service[]>({ method: 'GET', path: '/_api/foxx?excludeSystem=true' }, { quiet: true, signal }) : []), [mount])
  const [saved, setSaved] = useState<Settings>()
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>()
  const [isResetting, setResetting] = useState(false)
  const settings = saved ?? loaded
  const rows = Object.entries(settings ?? {})
  const body = settings ? changes(settings, texts) : {}
  const path = pathOf(kind, mount, { minimal: 'false' })
  const isSecret = rows.some(([, one]) => one.type === 'password')
  const change = async () => {
    try {
      const next = await ask<Settings>({ method: 'PATCH', path, body, isSecret })
      setSaved(next)
      const refused = Object.entries(next).filter(([name, one]) => one.warning !== undefined && name in body)
      // What was refused stays in its field.
      setTexts(Object.fromEntries(refused.map(([name]) => [name, texts[name] ?? ''])))
      setSaid(refused.length > 0 ? { text: 'Not all values were taken.', isBad: true } : { text: 'Saved.', isBad: false })
    } catch (thrown) {
      setSaid({ text: messageOf(thrown), isBad: true })
    }
  }
  const reset = (reply: string) => {
    setSaved(JSON.parse(reply) as Settings)
    setTexts({})
    setSaid({ text: 'Reset.', isBad: false })
  }
  const save = (event: Event) => {
    event.preventDefault()
    void change()
  }
  return (
    <>
      <form class="card card-body" aria-label={TITLES[kind]} onSubmit={save}>
        <h2>{TITLES[kind]}</h2>
        <ErrorMessage error={error} />
        {settings && rows.length === 0 && <p class="muted">{EMPTY[kind]}</p>}
        <div class="form">
          {rows.map(([name, one]) => (
            <SettingField key={name} name={name} setting={one} text={texts[name] ?? textOf(one)} mounts={services.map((service) => service.mount)} onText={(text) => setTexts({ ...texts, [name]: text })} />
          ))}
        </div>
        {rows.length > 0 && (
          <div class="side-row">
            <button type="submit" class="button is-main" disabled={Object.keys(body).length === 0}>
              Save
            </button>
            <button type="button" class="button" onClick={() => setResetting(true)}>
              Reset
            </button>
            <span class={said?.isBad ? 'message is-error' : 'muted'} role="status">
              {said?.text}
            </span>
          </div>
        )}
      </form>
      {isResetting && (
        <ConfirmAction title={`Reset the ${kind}`} verb="Reset" isDangerous call={{ method: 'PUT', path, body: {} }} onClose={() => setResetting(false)} onDone={reset}>
          <p>All values will be removed. Defaults apply again.</p>
        </ConfirmAction>
      )}
    </>
  )
}

interface FieldProperties {
  name: string
  setting: Setting
  text: string
  mounts: string[]
  onText: (text: string) => void
}

function SettingField({ name, setting, text, mounts, onText }: FieldProperties) {
  const { title, type, required, description, warning, multiple } = setting
  const kind = type ?? [setting.name, setting.version, multiple && 'several mount points'].filter((part) => part && part !== '*').join(' ')
  const hint = [`${name}${kind && `, ${kind}`}${required ? ', required' : ''}.`, description].filter(Boolean).join(' ')
  const of = { class: 'input', 'aria-invalid': warning !== undefined, value: text, autocomplete: 'off', onInput: (event: { currentTarget: { value: string } }) => onText(event.currentTarget.value) }
  const placeholder = type === 'password' && setting.current !== undefined ? 'unchanged' : textOf({ ...setting, current: setting.default, currentRaw: setting.default })
  const list = `mounts-${name}`
  return (
    <div class="field">
      <Field title={`${title}${required ? ' *' : ''}`} hint={hint}>
        {type === 'boolean' ? (
          <Select value={text} options={[['', 'not set'], 'true', 'false']} onChange={onText} />
        ) : type === 'json' ? (
          <textarea {...of} rows={4} placeholder={placeholder} />
        ) : type === undefined ? (
          <input {...of} list={multiple ? undefined : list} placeholder="/mount" />
        ) : type === 'password' ? (
          <input {...of} type="password" placeholder={placeholder} />
        ) : (
          <input {...of} inputMode={type === 'integer' || type === 'number' ? 'decimal' : undefined} placeholder={placeholder} />
        )}
      </Field>
      {type === undefined && !multiple && (
        <datalist id={list}>
          {mounts.map((mount) => (
            <option key={mount} value={mount} />
          ))}
        </datalist>
      )}
      {warning && (
        <p class="message is-error" role="alert">
          {title}: {warning}
        </p>
      )}
    </div>
  )
}
