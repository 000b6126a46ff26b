/** The state of a server that follows: phase, progress, lag, problems, differences. */
import { bytes, number, seconds } from '../lib/format'
import { Problems } from './Problems'
import { differencesOf, type State } from './state'

const PHASES: Record<State['phase'], string> = {
  none: 'follows no server',
  copying: 'copies the databases',
  following: 'follows the log',
  paused: 'paused',
  'cutting-over': 'takes over',
  ended: 'follows no longer',
  failed: 'has stopped',
}

export function Facts({ state }: { state: State }) {
  const { source, copy, log, error } = state
  const facts: [string, string | undefined | false | null][] = [
    ['Source', source && [source.endpoint, source.product, source.version].filter(Boolean).join(' ')],
    ['Purpose', state.kind],
    ['Databases', copy && `${number(copy.databasesDone)} of ${number(copy.databases)}`],
    ['Collections', copy && `${number(copy.collectionsDone)} of ${number(copy.collections)}`],
    ['Copied', copy && `${number(copy.documents)} documents, ${bytes(copy.bytes)} in ${seconds(copy.seconds)}`],
    ['Lag', log && state.phase !== 'copying' && `${number(log.lagEntries)} entries${log.lagSeconds === null ? '' : `, ${seconds(log.lagSeconds)}`}`],
    ['Applied', log && `${number(log.entries)} entries, ${number(log.transactions)} transactions, up to ${log.applied} of ${log.last}`],
  ]
  const differences = differencesOf(state)
  return (
    <section class="card follow" aria-label="State">
      {error && (
        <p class="message is-error" role="alert">
          {error.errorMessage} (error {error.errorNum})
        </p>
      )}
      <dl class="follow-facts">
        <dt>Phase</dt>
        <dd>
          <span class={state.phase === 'failed' ? 'chip is-bad' : 'chip'}>{PHASES[state.phase] ?? state.phase}</span>
        </dd>
        {facts.map(([title, text]) => text && [<dt key={title}>{title}</dt>, <dd key={`${title}:`}>{text}</dd>])}
      </dl>
      {state.phase === 'copying' && copy && <progress aria-label="Collections" max={Math.max(copy.collections, 1)} value={copy.collectionsDone} />}
      {differences.length > 0 && (
        <ul aria-label="Differences">
          {differences.map((one) => (
            <li key={`${one.database}/${one.collection}`}>
              <b>
                {one.database}/{one.collection}
              </b>{' '}
              differs: {number(one.source)} documents at the source, {number(one.here)} here
            </li>
          ))}
        </ul>
      )}
      <Problems problems={state.problems ?? []} />
    </section>
  )
}
