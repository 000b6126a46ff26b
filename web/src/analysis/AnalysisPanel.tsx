/** The choices of an analysis: the algorithm, its parameters, and the colours of its result. */
import type { Signal } from '@preact/signals'
import type Graph from 'graphology'
import { useEffect, useMemo } from 'preact/hooks'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { Select } from '../component/Select'
import { database } from '../lib/address'
import { bytes, number } from '../lib/format'
import { useLoaded } from '../lib/load'
import { type Algorithm, loadAlgorithms } from './algorithm'
import { Analysis, type Estimate } from './Analysis'
import { attributesOf } from './attributes'
import { LookFields } from './LookFields'
import { ParameterFields } from './ParameterFields'
import '../style/analysis.css'

interface Properties {
  /** The name of the graph. */
  name: string
  /** The drawn vertices and edges. */
  graph: Graph
  /** Changes when vertices were added. */
  turn: number
  /** The `_id` of the selected vertex. */
  selected: string | undefined
  /** Keeps the analysis while the panel is hidden. */
  holder: Signal<Analysis | undefined>
}

export function AnalysisPanel({ name, graph, turn, selected, holder }: Properties) {
  const { value: algorithms, error } = useLoaded(loadAlgorithms, [database.value])
  useEffect(() => {
    holder.value ??= new Analysis(name)
  }, [])
  const analysis = holder.value
  if (error || !algorithms || !analysis) return error ? <ErrorMessage error={error} /> : <p class="muted">Loading …</p>
  return <Choices algorithms={algorithms} analysis={analysis} graph={graph} turn={turn} selected={selected} />
}

interface ChoicesProperties extends Pick<Properties, 'graph' | 'turn' | 'selected'> {
  algorithms: Algorithm[]
  analysis: Analysis
}

function Choices({ algorithms, analysis, graph, turn, selected }: ChoicesProperties) {
  const algorithm = algorithms.find((one) => one.name === analysis.algorithm.value) ?? algorithms.find((one) => one.name === 'pageRank') ?? algorithms[0]
  const known = useMemo(() => attributesOf(graph), [graph, turn])
  if (!algorithm) return <p class="muted">The server has no algorithms.</p>
  const form = analysis.form.value
  const choose = (name: string) => {
    analysis.algorithm.value = name
    analysis.form.value = { ...form, typed: {} }
    analysis.estimate.value = undefined
  }
  const change = (next: Partial<typeof form>) => {
    analysis.form.value = { ...form, ...next }
    analysis.estimate.value = undefined
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (!analysis.running.value) void analysis.run(algorithm, graph)
  }
  return (
    <form class="form" onSubmit={submit}>
      <Field title="Algorithm" hint={algorithm.about}>
        <Select value={algorithm.name} options={algorithms.map((one) => one.name)} onChange={choose} />
      </Field>
      <details class="analysis-definition">
        <summary>Definition</summary>
        <p>{algorithm.definition}</p>
      </details>
      <ParameterFields parameters={algorithm.parameters} typed={form.typed} vertices={known.vertices} attributes={known.ofVertices} selected={selected} onChange={(name, text) => change({ typed: { ...form.typed, [name]: text } })} />
      <Field title="Weight attribute" hint="The attribute with the weights of edges. Without one, each edge counts as 1.">
        <input class="input" list="edge-attributes" placeholder="none" value={form.weight} onInput={(event) => change({ weight: event.currentTarget.value })} />
        <datalist id="edge-attributes">
          {known.ofEdges.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </Field>
      <LookFields analysis={analysis} />
      <RunBox analysis={analysis} algorithm={algorithm} />
    </form>
  )
}

/** The buttons of a run with its state, which stay in view. */
function RunBox({ analysis, algorithm }: { analysis: Analysis; algorithm: Algorithm }) {
  const running = analysis.running.value
  const isIdle = running === ''
  return (
    <div class="run-box">
      <ErrorMessage error={analysis.error.value} />
      <p role="status" class="muted">
        {running || analysis.note.value}
        {analysis.estimate.value && <Needed estimate={analysis.estimate.value} />}
      </p>
      <div class="chips">
        {/* With the keys, a click on one button is none on the other that takes its place. */}
        {isIdle ? (
          <button key="run" type="submit" class="button is-main">
            Run
          </button>
        ) : (
          <button key="stop" type="button" class="button is-danger" onClick={() => void analysis.stop().catch(() => {})}>
            Stop
          </button>
        )}
        <button type="button" class="button" disabled={!isIdle} onClick={() => void analysis.ask(algorithm)}>
          Estimate
        </button>
      </div>
    </div>
  )
}

function Needed({ estimate: { neededBytes, vertices, edges, fits } }: { estimate: Estimate }) {
  return (
    <>
      A run needs {bytes(neededBytes)} for {number(vertices)} vertices and {number(edges)} edges. {fits ? 'There is room for it.' : 'There is no room for it.'}
    </>
  )
}
