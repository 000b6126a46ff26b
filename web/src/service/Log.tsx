/** The messages that a service has written into the server's log, newest first. */
import { useState } from 'preact/hooks'
import { database } from '../lib/address'
import { FilterFields, FIRST } from '../log/FilterFields'
import { MAX_KEPT, useLines } from '../log/lines'
import { LogTable } from '../log/LogTable'
import { beginning, messagesOf } from './messages'

export function Log({ mount }: { mount: string }) {
  const [filter, setFilter] = useState(FIRST)
  const { value, error, isRefused } = useLines(filter.level, beginning(mount), MAX_KEPT)
  const lines = value && messagesOf(value, mount, database.value, filter.text)
  const empty = filter.text === '' ? `The log has no messages of ${mount} up to the level ${filter.level}.` : `No message of ${mount} up to the level ${filter.level} contains this text.`
  return (
    <>
      {isRefused ? (
        <p class="muted">A service writes its messages into the log of the server, which you may not read.</p>
      ) : (
        <div class="page-head">
          <FilterFields filter={filter} onChange={setFilter} />
        </div>
      )}
      <LogTable lines={lines} error={error} empty={empty} hasNoTopic />
    </>
  )
}
