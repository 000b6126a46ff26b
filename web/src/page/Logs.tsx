/** The recent entries of the server's log. */
import { useState } from 'preact/hooks'
import { PageHead } from '../component/PageHead'
import { FilterFields, FIRST } from '../log/FilterFields'
import { Levels } from '../log/Levels'
import { useLines } from '../log/lines'
import { LogTable } from '../log/LogTable'

/** Maximum number of entries that the page shows. */
const MAX_SHOWN = 1000

export function Logs() {
  const [filter, setFilter] = useState(FIRST)
  const [isSetting, setSetting] = useState(false)
  const { value, error } = useLines(filter.level, filter.text, MAX_SHOWN)
  return (
    <div class="page">
      <PageHead title="Logs">
        <FilterFields filter={filter} onChange={setFilter} />
        <span class="spring" />
        <button type="button" class="button" onClick={() => setSetting(true)}>
          Log levels
        </button>
      </PageHead>
      <LogTable lines={value} error={error} empty="No log entries." />
      {isSetting && <Levels onClose={() => setSetting(false)} />}
    </div>
  )
}
