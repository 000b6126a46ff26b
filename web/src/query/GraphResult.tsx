/** The vertices and edges of a result as a picture. */
import Graph from 'graphology'
import { useMemo, useState } from 'preact/hooks'
import { Canvas } from '../graph/Canvas'
import type { Document } from '../graph/load'
import { partOf } from '../graph/ofRows'
import { add, paint } from '../graph/picture'
import { link } from '../lib/address'
import { number } from '../lib/format'
import '../style/graph.css'

export function GraphResult({ rows, count }: { rows: string[]; count: number }) {
  const graph = useMemo(() => {
    const graph = new Graph({ multi: true, type: 'directed' })
    add(graph, partOf(rows))
    paint(graph, { label: '', colour: '', edge: '' })
    return graph
  }, [rows, count])
  const [chosen, setChosen] = useState<Document>()
  const [collection = '', key = ''] = chosen?._id.split('/') ?? []
  return (
    <>
      <p class="result-notes muted">
        {number(graph.order)} vertices, {number(graph.size)} edges in {number(count)} rows.{' '}
        {chosen && <a href={link(['collection', collection, 'documents', key])}>{chosen._id}</a>}
      </p>
      <Canvas graph={graph} turn={count} onChoose={setChosen} onExpand={() => {}} />
    </>
  )
}
