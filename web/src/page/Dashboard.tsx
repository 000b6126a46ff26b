/** The state of the server, live from its metrics. */
import { useEffect, useState } from 'preact/hooks'
import { Boundary } from '../component/Boundary'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { Chart } from '../dashboard/Chart'
import { Support } from '../dashboard/Support'
import { mean, parse, rate, type Sample } from '../dashboard/metrics'
import { bytes, number, seconds } from '../lib/format'
import { useEvery, useLoaded } from '../lib/load'
import { ask, mayAdminister, send } from '../lib/session'
import '../style/dashboard.css'

const INTERVAL = 2000
/** Samples that are kept: ten minutes. */
const MAX_SAMPLES = 300

const take = async (): Promise<Sample> => {
  const text = await send({ method: 'GET', path: '/_admin/metrics/v2' }, { quiet: true })
  return { time: Date.now(), metrics: parse(text) }
}

type Version = { version: string; 'persea-version': string }
const version = () => ask<Version>({ method: 'GET', path: '/_api/version' }, { quiet: true })

export function Dashboard() {
  const [samples, setSamples] = useState<Sample[]>([])
  const [error, setError] = useState<unknown>()
  const [isSupport, setSupport] = useState(false)
  const { value: about } = useLoaded(version, [])
  const look = () =>
    take().then(
      (sample) => {
        setSamples((old) => [...old, sample].slice(-MAX_SAMPLES))
        setError(undefined)
      },
      setError,
    )
  useEffect(() => void look(), [])
  useEvery(INTERVAL, look)
  const last = samples.at(-1)
  return (
    <div class="page">
      <PageHead title="Dashboard">
        {about && (
          <span class="muted">
            Persea {about['persea-version']}, compatible with ArangoDB {about.version}
          </span>
        )}
        <span class="spring" />
        <a class="button is-quiet" href="licences.txt" target="_blank" rel="noreferrer">
          Licences
        </a>
        {mayAdminister.value && (
          <button type="button" class="button" onClick={() => setSupport(true)}>
            Support information
          </button>
        )}
        {isSupport && <Support onClose={() => setSupport(false)} />}
      </PageHead>
      <ErrorMessage error={error} />
      <Boundary of={last} title="The numbers">{last && <Tiles sample={last} />}</Boundary>
      <Boundary of={last} title="The charts">
        <Charts samples={samples} />
      </Boundary>
    </div>
  )
}

function Tiles({ sample: { metrics } }: { sample: Sample }) {
  const get = (name: string) => metrics.get(name) ?? 0
  const tiles: [string, string][] = [
    ['Uptime', seconds(get('arangodb_server_statistics_server_uptime_total'))],
    ['Connections', number(get('arangodb_client_connection_statistics_client_connections'))],
    ['Requests', number(get('arangodb_http_request_statistics_total_requests_total'))],
    ['Queries', number(get('arangodb_aql_all_query_total'))],
    ['Running queries', number(get('arangodb_aql_current_query'))],
    ['Open cursors', number(get('arangodb_aql_cursors_active'))],
    ['Waiting requests', number(get('arangodb_scheduler_queue_length'))],
    ['Stored', bytes(get('rocksdb_live_sst_files_size') + get('rocksdb_live_wal_files_size'))],
    ['Free disk space', bytes(get('rocksdb_free_disk_space'))],
    ['Write conflicts', number(get('persea_write_conflicts_total'))],
  ]
  return (
    <dl class="tiles">
      {tiles.map(([title, value]) => (
        <div class="card tile" key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const perSecond = (value: number) => `${number(value)}/s`
const percent = (value: number) => `${number(value)} %`

function Charts({ samples }: { samples: Sample[] }) {
  const after = samples.slice(1)
  const times = after.map((sample) => sample.time / 1000)
  const each = <T,>(compute: (before: Sample, after: Sample) => T): T[] => after.map((sample, index) => compute(samples[index] as Sample, sample))
  const rates = (name: string) => each((before, after) => rate(name, before, after))
  const gauge = (name: string) => after.map((sample) => sample.metrics.get(name) ?? null)
  const code = (code: string) => rates(`arangodb_http_response_code_total{code="${code}"}`)
  return (
    <div class="charts">
      <Chart
        title="Requests"
        times={times}
        format={perSecond}
        lines={[{ title: 'answered', colour: '--accent' }, { title: 'rejected', colour: '--warn' }, { title: 'failed', colour: '--danger' }]}
        values={[code('2xx'), code('4xx'), code('5xx')]}
      />
      <Chart
        title="Mean time"
        times={times}
        format={seconds}
        lines={[{ title: 'request', colour: '--accent' }, { title: 'query', colour: '--code-function' }]}
        values={[each((a, b) => mean('arangodb_client_connection_statistics_request_time', a, b)), each((a, b) => mean('arangodb_aql_query_time', a, b))]}
      />
      <Chart
        title="Memory"
        times={times}
        format={bytes}
        least={1000}
        lines={[
          { title: 'resident', colour: '--accent' },
          { title: 'block cache', colour: '--code-keyword' },
          { title: 'write buffers', colour: '--code-number' },
          { title: 'queries', colour: '--code-function' },
        ]}
        values={['arangodb_process_statistics_resident_set_size', 'rocksdb_block_cache_usage', 'rocksdb_cur_size_all_mem_tables', 'arangodb_aql_global_memory_usage'].map(gauge)}
      />
      <Chart
        title="CPU time of the server"
        times={times}
        format={percent}
        least={1}
        lines={[{ title: 'user', colour: '--accent' }, { title: 'system', colour: '--code-keyword' }]}
        values={['user', 'system'].map((kind) => rates(`arangodb_process_statistics_${kind}_time`).map((share) => share * 100))}
      />
      <Chart
        title="Queries"
        times={times}
        format={perSecond}
        lines={[{ title: 'queries', colour: '--accent' }, { title: 'plans from the cache', colour: '--code-keyword' }]}
        values={[rates('arangodb_aql_all_query_total'), rates('arangodb_aql_query_plan_cache_hits_total')]}
      />
      <Chart
        title="Network"
        times={times}
        format={(value) => `${bytes(value)}/s`}
        least={1000}
        lines={[{ title: 'sent', colour: '--accent' }, { title: 'received', colour: '--code-keyword' }]}
        values={[rates('persea_connection_bytes_sent_total'), rates('persea_connection_bytes_received_total')]}
      />
    </div>
  )
}
