/** The picture itself, drawn by WebGL. */
import type Graph from 'graphology'
import { useEffect, useRef, useState } from 'preact/hooks'
import { DEFAULT_STYLES, Sigma } from 'sigma'
import { extremityArrow } from 'sigma/rendering'
import { saveFile } from '../query/download'
import { colourOf } from '../lib/colour'
import { theme } from '../lib/theme'
import { layOut } from './layout'
import type { Document } from './load'

/** The maximum number of clickable edges: each is drawn twice to find the clicked one. */
const MAX_CLICKED_EDGES = 5000

interface Properties {
  graph: Graph
  /** Changes when vertices were added. */
  turn: number
  /** Called with the vertex or the edge that was clicked. */
  onChoose: (chosen: Document) => void
  onExpand: (id: string) => void
  /** True if edges can be clicked, too. */
  withEdges?: boolean
}

export function Canvas({ graph, turn, onChoose, onExpand, withEdges = false }: Properties) {
  const host = useRef<HTMLDivElement>(null)
  const sigma = useRef<Sigma | undefined>(undefined)
  const [isMoving, setMoving] = useState(false)
  const [error, setError] = useState('')
  const latest = useRef({ onChoose, onExpand })
  latest.current = { onChoose, onExpand }

  useEffect(() => {
    if (!host.current) return
    try {
      const renderer = create(graph, host.current, latest, withEdges && graph.size <= MAX_CLICKED_EDGES)
      sigma.current = renderer
      // Other parts of the page may come and go beside the picture, which then has another size.
      const observer = new ResizeObserver(() => renderer.scheduleRefresh())
      observer.observe(host.current)
      return () => {
        observer.disconnect()
        renderer.kill()
      }
    } catch (thrown) {
      setError(`This browser cannot draw graphs: ${(thrown as Error).message}`)
    }
  }, [graph, theme.value])
  useEffect(() => {
    setMoving(true)
    return layOut(graph, () => setMoving(false))
  }, [graph, turn])

  if (error) return <p class="empty">{error}</p>
  const camera = () => sigma.current?.getCamera()
  return (
    <div class="canvas">
      <div class="canvas-host" ref={host} role="img" aria-label={`Picture of ${graph.order} vertices and ${graph.size} edges`} />
      <div class="canvas-tools">
        {isMoving && <span class="muted">Laying out …</span>}
        <button type="button" class="button" aria-label="Zoom in" onClick={() => camera()?.zoomIn()}>
          +
        </button>
        <button type="button" class="button" aria-label="Zoom out" onClick={() => camera()?.zoomOut()}>
          −
        </button>
        <button type="button" class="button" onClick={() => camera()?.reset()}>
          Fit
        </button>
        <button type="button" class="button" onClick={() => sigma.current && saveImage(sigma.current)}>
          Save image
        </button>
      </div>
    </div>
  )
}

/** Saves the picture as it is. What WebGL has drawn is there until the frame ends. */
function saveImage(sigma: Sigma) {
  const host = sigma.getContainer()
  sigma.once('afterRender', () => {
    const drawn = host.querySelector('canvas')
    const copy = document.createElement('canvas')
    const context = copy.getContext('2d')
    if (!drawn || !context) return
    copy.width = drawn.width
    copy.height = drawn.height
    context.fillStyle = colourOf(host, '--surface')
    context.fillRect(0, 0, copy.width, copy.height)
    context.drawImage(drawn, 0, 0)
    copy.toBlob((image) => image && saveFile(image, 'graph.png'))
  })
  sigma.refresh()
}

function create(graph: Graph, host: HTMLDivElement, latest: { current: Pick<Properties, 'onChoose' | 'onExpand'> }, enableEdgeEvents: boolean): Sigma {
  const colour = (name: string) => colourOf(host, name)
  const sigma = new Sigma(graph, host, {
    primitives: { edges: { extremities: [extremityArrow()] } },
    styles: {
      nodes: { ...DEFAULT_STYLES.nodes, labelColor: colour('--text'), backdropColor: colour('--raised') },
      edges: { ...DEFAULT_STYLES.edges, color: colour('--control'), labelColor: colour('--muted'), head: 'arrow' },
    },
    settings: { allowInvalidContainer: true, itemSizesReference: 'screen', renderEdgeLabels: true, labelRenderedSizeThreshold: 3, enableNodeDrag: true, enableEdgeEvents, hideLabelsOnMove: true, gestureTarget: 'graph' },
  })
  sigma.on('clickNode', ({ node }) => latest.current.onChoose(graph.getNodeAttribute(node, 'document') as Document))
  sigma.on('clickEdge', ({ edge }) => latest.current.onChoose(graph.getEdgeAttribute(edge, 'document') as Document))
  // The layout leaves pinned vertices where the user put them.
  sigma.on('nodeDragStart', ({ node }) => graph.setNodeAttribute(node, 'isPinned', true))
  sigma.on('doubleClickNode', (event) => {
    event.preventSigmaDefault()
    latest.current.onExpand(event.node)
  })
  return sigma
}
