/** A dialog that installs a service, or puts another one in its place. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Field } from '../component/Field'
import { type Installation, installation, mistakeOf, type Source } from './state'

interface Properties {
  kind: Installation
  /** The mount point of the service that is upgraded or replaced. */
  mount?: string
  /** A file that was dropped on the page. */
  file?: File
  onClose: () => void
  onDone: (mount: string) => void
}

const VERBS: Record<Installation, string> = { install: 'Install', upgrade: 'Upgrade', replace: 'Replace' }

const mountOf = (file: File | undefined) => (file ? `/${file.name.replace(/\.\w+$/, '').replaceAll(/[^\w-]+/g, '-')}` : '')

export function InstallDialog({ kind, mount, file: dropped, onClose, onDone }: Properties) {
  const [source, setSource] = useState<Source>({ mount: mount ?? mountOf(dropped), file: dropped, address: '', setup: true, teardown: kind === 'replace', development: false })
  const set = (changed: Partial<Source>) => setSource((old) => ({ ...old, ...changed }))
  const choose = (file: File | undefined) => file && set({ file, mount: source.mount || mountOf(file) })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    choose(event.dataTransfer?.files[0])
  }
  const mistake = mistakeOf(source)
  const verb = VERBS[kind]
  return (
    <ConfirmAction title={kind === 'install' ? 'Install service' : `${verb} ${mount ?? ''}`} verb={verb} isDangerous={kind === 'replace'} call={installation(kind, source)} onClose={onClose} onDone={() => onDone(source.mount)}>
      {kind === 'upgrade' && <p>Another version takes the place of this one, and keeps its settings.</p>}
      {kind === 'replace' && <p>Another service takes the place of this one. The settings will be removed.</p>}
      <div class="field" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <Field title="File" hint="A ZIP archive or a JavaScript file.">
          <input class="input" type="file" accept=".zip,.js" onChange={(event) => choose(event.currentTarget.files?.[0])} />
        </Field>
        {source.file && <p class="mono">{source.file.name}</p>}
      </div>
      <Field title="Address" hint="Instead of a file: a URL, or a path of the server, where it allows this.">
        <input class="input mono" value={source.address} onInput={(event) => set({ address: event.currentTarget.value })} />
      </Field>
      {kind === 'install' && (
        <Field title="Mount point">
          <input class="input mono" required placeholder="/shop" value={source.mount} onInput={(event) => set({ mount: event.currentTarget.value })} />
        </Field>
      )}
      {kind !== 'install' && <Check title="Run the teardown script of the old service" value={source.teardown} onChange={(teardown) => set({ teardown })} />}
      <Check title="Run the setup script" value={source.setup} onChange={(setup) => set({ setup })} />
      {kind === 'install' && <Check title="Begin development" value={source.development} onChange={(development) => set({ development })} />}
      {mistake && <p class="message is-error">{mistake}</p>}
    </ConfirmAction>
  )
}

export function Check({ title, value, onChange }: { title: string; value: boolean; onChange: (value: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={() => onChange(!value)} />
      {title}
    </label>
  )
}
