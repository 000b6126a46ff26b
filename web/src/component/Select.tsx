/** A choice of one of several values. */
interface Properties<Value extends string> {
  value: Value
  /** The values, each with its title if that is another text. */
  options: readonly (Value | readonly [Value, string])[]
  onChange: (value: Value) => void
  /** The name for screen readers, where no field names the choice. */
  label?: string
}

export function Select<Value extends string>({ value, options, onChange, label }: Properties<Value>) {
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
      {options.map((option) => {
        const [one, title] = typeof option === 'string' ? [option, option] : option
        return (
          <option key={one} value={one}>
            {title}
          </option>
        )
      })}
    </select>
  )
}
