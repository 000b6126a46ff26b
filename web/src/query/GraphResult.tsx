/** The vertices and edges of a result as a picture. */
import Graph from 'graphology'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Canvas } from '../graph/Canvas'
import type { Document } from '../graph/load'
import { partOf } from '../graph/ofRows'
import { add, paint, type Style } from '../graph/picture'
import { StyleFields } from '../graph/StyleFields'
import { link } from '../lib/address'
import { number } from '../lib/format'
import '../style/graph.css'

export function GraphResult({ rows, count }: { rows: string[]; count: number }) {
  const [style, setStyle] = useState<Style>({ label: '', colour: '', edge: '' })
  const [groups, setGroups] = useState(new Map<string, string>())
  const graph = useMemo(() => {
    const graph = new Graph({ multi: true, type: 'directed' })
    add(graph, partOf(rows))
    paint(graph, style)
    return graph
  }, [rows, count])
  useEffect(() => setGroups(paint(graph, style)), [graph, style])
  const [chosen, setChosen] = useState<Document>()
  const [collection = '', key = ''] = chosen?._id.split('/') ?? []
  return (
    <>
      <p class="result-notes muted">
        {number(graph.order)} vertices, {number(graph.size)} edges in {number(count)} rows.{' '}
        {chosen && <a href={link(['collection', collection, 'documents', key])}>{chosen._id}</a>}
      </p>
      <div class="result-graph">
        <Canvas graph={graph} turn={count} onChoose={setChosen} onExpand={() => {}} withEdges />
        <aside class="card-body" aria-label="Labels and colours">
          <StyleFields style={style} groups={groups} onChange={setStyle} />
        </aside>
      </div>
    </>
  )
}
