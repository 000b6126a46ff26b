/** A named graph as a picture. */
import { useSignal } from '@preact/signals'
import Graph from 'graphology'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Analysis } from '../analysis/Analysis'
import { Boundary } from '../component/Boundary'
import { Field } from '../component/Field'
import { ErrorMessage } from '../component/Message'
import { PageHead } from '../component/PageHead'
import { Tabs } from '../component/Tabs'
import { Canvas } from '../graph/Canvas'
import { Selection } from '../graph/Selection'
import { StyleFields } from '../graph/StyleFields'
import { vertexCollections } from '../graph/definition'
import { CreateVertex } from '../graph/Edit'
import { around, type Document, documents, type Edge, loadDefinition, type Part, sample } from '../graph/load'
import { add, drop, hide, paint, type Style, update } from '../graph/picture'
import { database, go, place } from '../lib/address'
import { number } from '../lib/format'
import { lazy } from '../lib/lazy'
import { useLoaded } from '../lib/load'
import { writable } from '../lib/rights'
import '../style/graph.css'

const AnalysisPanel = lazy(async () => (await import('../analysis/parts')).AnalysisPanel)
const OutcomeView = lazy(async () => (await import('../analysis/parts')).OutcomeView)

const TABS = ['Explore', 'Analyse'] as const

/** Vertices of a first look; those of an expansion. */
const MOST = ['500', '2000', '10000', '20000']
const MAX_EXTRA = 100

export function GraphViewer({ name }: { name: string }) {
  const start = place.value.parameters.get('start') ?? ''
  const depth = Number(place.value.parameters.get('depth') ?? 2)
  const most = Number(place.value.parameters.get('most') ?? MOST[0])
  const { value: definition, error } = useLoaded((signal) => loadDefinition(name, signal), [name, database.value])
  const collections = definition ? [...vertexCollections(definition), ...definition.edgeDefinitions.map((one) => one.collection)] : []
  const { value: mayWrite = new Set<string>() } = useLoaded((signal) => writable(collections, signal), [definition])
  const [isCreating, setCreating] = useState(false)
  const graph = useMemo(() => new Graph({ multi: true, type: 'directed' }), [name, start, depth, most])
  const [failure, setFailure] = useState<unknown>()
  const [style, setStyle] = useState<Style>({ label: '', colour: '', edge: '' })
  const [groups, setGroups] = useState(new Map<string, string>())
  const [turn, setTurn] = useState(0)
  const [chosen, setChosen] = useState<Document>()
  const [tab, setTab] = useState<(typeof TABS)[number]>('Explore')
  const analysis = useSignal<Analysis | undefined>(undefined)
  useEffect(() => () => void analysis.peek()?.stop().catch(() => {}), [])
  const outcome = analysis.value?.outcome.value

  const draw = () => {
    setGroups(paint(graph, style))
    analysis.peek()?.paint(graph)
  }
  const show = (loading: Promise<Part>) =>
    loading.then((part) => {
      add(graph, part)
      draw()
      setTurn((turn) => turn + 1)
      setFailure(undefined)
    }, setFailure)
  useEffect(() => {
    if (definition) void show(start ? around(name, start, depth, most) : sample(definition, most))
  }, [definition, graph])
  useEffect(draw, [style, outcome, analysis.value?.look.value, analysis.value?.arrivals.value])
  const expand = (id: string) => show(around(name, id, 1, MAX_EXTRA))
  const hideVertex = (id: string) => {
    hide(graph, id)
    setChosen(undefined)
  }
  /** Draws what the user has changed; edges bring their vertices. */
  const onAdded = async (added: Document) => {
    const ends = '_from' in added ? [added._from as string, added._to as string].filter((id) => !graph.hasNode(id)) : []
    const loaded = await Promise.all(ends.map((id) => around(name, id, 0, 1)))
    await show(Promise.resolve({ vertices: '_from' in added ? loaded.flatMap((part) => part.vertices) : [added], edges: '_from' in added ? [added as Edge] : [] }))
    setChosen(added)
  }
  const onChanged = (changed: Document) => {
    update(graph, changed)
    draw()
    setChosen(changed)
  }
  /** Selects a vertex, and draws it if it is not there. */
  const chooseVertex = async (id: string) => {
    if (!graph.hasNode(id)) await show(around(name, id, 1, MAX_EXTRA))
    if (graph.hasNode(id)) setChosen(graph.getNodeAttribute(id, 'document') as Document)
    setTab('Explore')
  }
  /** Takes the new versions of the drawn vertices. */
  const reload = async () => {
    for (const one of await documents(graph.nodes())) update(graph, one)
    if (chosen && graph.hasNode(chosen._id)) setChosen(graph.getNodeAttribute(chosen._id, 'document') as Document)
    draw()
  }
  const onRemoved = (id: string) => {
    drop(graph, id)
    setChosen(undefined)
    setTurn((turn) => turn + 1)
  }

  return (
    <div class="page">
      <PageHead title={name} above={['graphs', 'Graphs']}>
        <span class="spring" />
        <span class="muted" role="status">
          {number(graph.order)} vertices, {number(graph.size)} edges
        </span>
        {definition && vertexCollections(definition).some((one) => mayWrite.has(one)) && (
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            New vertex
          </button>
        )}
        {isCreating && definition && <CreateVertex graph={name} collections={vertexCollections(definition).filter((one) => mayWrite.has(one))} onClose={() => setCreating(false)} onDone={onAdded} />}
      </PageHead>
      <ErrorMessage error={error ?? failure} />
      <div class="viewer">
        <div class="card fill">{graph.order === 0 ? <p class="empty">{turn > 0 ? 'The graph has no edges to show.' : 'Loading …'}</p> : <Canvas graph={graph} turn={turn} onChoose={setChosen} onExpand={expand} withEdges />}</div>
        <aside class="card card-body viewer-side" aria-label="Choices">
          <Tabs label="Choices" names={TABS} chosen={tab} onChoose={setTab} />
          {tab === 'Analyse' ? (
            <Boundary key="analysis" title="The analysis">
              <AnalysisPanel name={name} graph={graph} turn={turn} selected={chosen && graph.hasNode(chosen._id) ? chosen._id : undefined} holder={analysis} />
            </Boundary>
          ) : (
            <>
              <Find graph={graph} turn={turn} onChoose={setChosen} />
              {chosen && definition ? (
                <Boundary of={chosen} title="The selection">
                  <Selection key={chosen._id + chosen._rev} definition={definition} graph={graph} chosen={chosen} mayWrite={mayWrite} onChoose={setChosen} onExpand={expand} onHide={hideVertex} onAdded={onAdded} onChanged={onChanged} onRemoved={onRemoved} />
                </Boundary>
              ) : (
                <p class="muted">Click a vertex or an edge to inspect it. Double-click a vertex to show its neighbours. Drag a vertex to pin it.</p>
              )}
              <Start name={name} start={start} depth={depth} most={most} />
              <StyleFields style={style} groups={analysis.value?.legend.value ? new Map() : groups} onChange={setStyle} />
            </>
          )}
        </aside>
        {analysis.value && outcome && definition && (
          <Boundary of={outcome} title="The result">
            <OutcomeView
              analysis={analysis.value}
              definition={definition}
              graph={graph}
              turn={turn}
              mayWrite={vertexCollections(definition).every((one) => mayWrite.has(one))}
              onChoose={(id) => void chooseVertex(id)}
              onWritten={() => void reload().catch(setFailure)}
            />
          </Boundary>
        )}
      </div>
    </div>
  )
}

function Start({ name, start, depth, most }: { name: string; start: string; depth: number; most: number }) {
  const act = (event: Event) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const id = String(fields.get('start')).trim()
    const most = String(fields.get('most'))
    go(['graph', name], id ? { start: id, depth: String(fields.get('depth')), most } : { most })
  }
  return (
    <form class="form" key={start} onSubmit={act}>
      <Field title="Start" hint="The _id of a vertex. Without one, some edges are shown.">
        <input class="input" name="start" placeholder="persons/ann" defaultValue={start} />
      </Field>
      <Field title="Depth">
        <select class="input" name="depth">
          {['1', '2', '3', '4', '5'].map((one) => (
            <option key={one} selected={Number(one) === depth}>
              {one}
            </option>
          ))}
        </select>
      </Field>
      <Field title="Maximum vertices">
        <select class="input" name="most">
          {MOST.map((one) => (
            <option key={one} value={one} selected={Number(one) === most}>
              {number(Number(one))}
            </option>
          ))}
        </select>
      </Field>
      <button type="submit" class="button">
        Show
      </button>
    </form>
  )
}

/** Vertices that the list of names has. */
const MAX_NAMES = 1000

/** Chooses a vertex by its name: the way in for the keyboard. */
function Find({ graph, turn, onChoose }: { graph: Graph; turn: number; onChoose: (vertex: Document) => void }) {
  const names = useMemo(() => graph.nodes().slice(0, MAX_NAMES), [graph, turn])
  const choose = (id: string) => graph.hasNode(id) && onChoose(graph.getNodeAttribute(id, 'document') as Document)
  return (
    <Field title="Find a vertex">
      <input class="input" list="vertices" placeholder="persons/ann" onChange={(event) => choose(event.currentTarget.value)} />
      <datalist id="vertices">
        {names.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </Field>
  )
}
