/** A dialog with the level of each topic of the log. */
import { useState } from 'preact/hooks'
import { Dialog } from '../component/Dialog'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import type { Call } from '../lib/api'
import { useLoaded } from '../lib/load'
import { ask, send } from '../lib/session'

const LEVELS = ['FATAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG', 'TRACE'].map((level) => [level, level.toLowerCase()] as const)

const address = { path: '/_admin/log/level', database: '_system' } as const

const load = (signal: AbortSignal) => ask<Record<string, string>>({ method: 'GET', ...address }, { quiet: true, signal })

export function Levels({ onClose }: { onClose: () => void }) {
  const { value = {}, error, reload } = useLoaded(load, [])
  const [failure, setFailure] = useState<unknown>()
  const [filter, setFilter] = useState('')
  const topics = Object.keys(value).filter((topic) => topic.includes(filter.toLowerCase()))
  const set = (levels: Record<string, string>) => {
    const call: Call = { method: 'PUT', ...address, body: levels }
    send(call).then(() => {
      setFailure(undefined)
      reload()
    }, setFailure)
  }
  return (
    <Dialog title="Log levels" onClose={onClose}>
      <div class="dialog-body">
        <p class="muted">Changes hold until the server stops.</p>
        <ErrorMessage error={error ?? failure} />
        <input class="input" type="search" aria-label="Topic" placeholder="Topic" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        <div class="log-levels">
          {topics.map((topic) => (
            <label class="right" key={topic}>
              <span class="who">{topic}</span>
              <Select value={value[topic] ?? ''} options={LEVELS.some(([one]) => one === value[topic]) ? LEVELS : [...LEVELS, [value[topic] ?? '', value[topic] ?? ''] as const]} onChange={(level) => set({ [topic]: level })} />
            </label>
          ))}
        </div>
      </div>
    </Dialog>
  )
}
