/** The tests of a service, with their results by suite. */
import { useState } from 'preact/hooks'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { number } from '../lib/format'
import { ask } from '../lib/session'
import { pathOf, reasonOf, type Report, type Suite, type Test } from './state'

export function Tests({ mount }: { mount: string }) {
  const [filter, setFilter] = useState('')
  const [report, setReport] = useState<Report>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const run = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    setReport(undefined)
    const path = pathOf('tests', mount, { reporter: 'suite', ...(filter && { filter }) })
    await ask<Report>({ method: 'POST', path }).then(setReport, setError)
    setBusy(false)
  }
  return (
    <>
      <form class="card card-body" aria-label="Run tests" onSubmit={run}>
        <Field title="Filter" hint="Only tests whose full name contains this text.">
          <input class="input" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </Field>
        <div class="side-row">
          <button type="submit" class="button is-main" disabled={isBusy}>
            {isBusy ? 'Running …' : 'Run tests'}
          </button>
        </div>
      </form>
      <ErrorMessage error={error} />
      <div role="status">{report && <Summary report={report} />}</div>
      {report && report.stats.tests > 0 && (
        <section class="card card-body service-tests" aria-label="Results" tabIndex={0}>
          <Results suite={report} />
        </section>
      )}
    </>
  )
}

function Summary({ report: { stats } }: { report: Report }) {
  if (stats.tests === 0) return <p class="message">The service has no such tests.</p>
  const rest = [stats.failures > 0 && `${number(stats.failures)} failed`, stats.pending > 0 && `${number(stats.pending)} pending`].filter(Boolean)
  return <p class={stats.failures > 0 ? 'message is-error' : 'message'}>{[`${number(stats.passes)} passed`, ...rest, `${number(Math.round(stats.duration))} ms`].join(', ')}</p>
}

function Results({ suite }: { suite: Suite }) {
  return (
    <ul>
      {suite.tests.map((test, index) => (
        <li key={index}>
          <Result test={test} />
        </li>
      ))}
      {suite.suites.map((one, index) => (
        <li key={`suite ${index}`}>
          <b>{one.title}</b>
          <Results suite={one} />
        </li>
      ))}
    </ul>
  )
}

const WORDS = { pass: 'passed', fail: 'failed', pending: 'pending' } as const

function Result({ test }: { test: Test }) {
  const reason = test.result === 'fail' ? reasonOf(test) : ''
  return (
    <>
      <span class={test.result === 'fail' ? 'chip is-bad' : 'chip'}>{WORDS[test.result]}</span> {test.title} {test.duration !== undefined && <span class="muted">{number(Math.round(test.duration))} ms</span>}
      {reason && <pre class="row-json">{reason}</pre>}
    </>
  )
}
