/** A row of tabs. Arrow keys go from one to the next. */
interface Properties<Name extends string> {
  label: string
  names: readonly Name[]
  chosen: Name
  onChoose: (name: Name) => void
}

export function Tabs<Name extends string>({ label, names, chosen, onChoose }: Properties<Name>) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = names[(names.indexOf(chosen) + step + names.length) % names.length] as Name
    onChoose(next)
    const row = event.currentTarget as HTMLElement
    ;(row.children[names.indexOf(next)] as HTMLElement).focus()
  }
  return (
    <div class="tabs" role="tablist" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
      {names.map((name) => (
        <button key={name} type="button" role="tab" class="tab" aria-selected={name === chosen} tabIndex={name === chosen ? 0 : -1} onClick={() => onChoose(name)}>
          {name}
        </button>
      ))}
    </div>
  )
}
