/** A plan as a tree: nodes with their costs and indexes; after a profile, with times and rows. */
import { bytes, number, seconds } from '../lib/format'
import type { Statistics } from './cursor'
import { type Line, lines, type NodeStatistics, type Plan, type PlanIndex } from './plan'

interface Properties {
  plan: Plan
  nodes?: NodeStatistics[]
  warnings: { code: number; message: string }[]
  profile?: Record<string, number>
  statistics?: Statistics
}

export function PlanView({ plan, nodes, warnings, profile, statistics }: Properties) {
  const all = lines(plan, nodes)
  const longest = Math.max(...all.map((line) => line.seconds ?? 0), 1e-9)
  return (
    <div class="plan" tabIndex={0} role="region" aria-label="Plan">
      {warnings.map((warning) => (
        <p class="message is-warning" key={warning.message}>
          {warning.message} ({warning.code})
        </p>
      ))}
      <div class="plan-scroll">
        <table aria-label="Nodes of the plan">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Operation</th>
              <th scope="col" class="is-number">Estimated rows</th>
              <th scope="col" class="is-number">Estimated cost</th>
              {nodes && <th scope="col" class="is-number">Rows</th>}
              {nodes && <th scope="col" class="is-number">Filtered</th>}
              {nodes && <th scope="col">Time</th>}
            </tr>
          </thead>
          <tbody>
            {all.map((line) => (
              <NodeRow key={line.node.id} line={line} longest={longest} isProfiled={nodes !== undefined} />
            ))}
          </tbody>
        </table>
      </div>
      <Indexes lines={all} />
      <section>
        <h2 class="label">Rules applied</h2>
        <p class="chips">{plan.rules.length === 0 ? 'none' : plan.rules.map((rule) => <span class="chip" key={rule}>{rule}</span>)}</p>
      </section>
      {profile && <Phases profile={profile} statistics={statistics} />}
    </div>
  )
}

function NodeRow({ line, longest, isProfiled }: { line: Line; longest: number; isProfiled: boolean }) {
  const { node, statistics } = line
  const part = Math.round(((line.seconds ?? 0) / longest) * 120)
  return (
    <tr>
      <td class="node-type">
        {node.id} {node.type.replace(/Node$/, '')}
      </td>
      <td style={{ paddingLeft: `${8 + line.depth * 18}px` }}>
        <code>{line.text}</code>
        {line.indexes.length > 0 && <span class="muted"> using {line.indexes.map((index) => index.name).join(', ')}</span>}
      </td>
      <td class="is-number">{number(node.estimatedNrItems)}</td>
      <td class="is-number">{number(Math.round(node.estimatedCost))}</td>
      {isProfiled && <td class="is-number">{statistics && number(statistics.items)}</td>}
      {isProfiled && <td class="is-number">{statistics && number(statistics.filtered)}</td>}
      {isProfiled && (
        <td>
          {line.seconds !== undefined && seconds(line.seconds)}
          <div class="bar-box">
            <div class="bar" style={{ width: `${part}px` }} />
          </div>
        </td>
      )}
    </tr>
  )
}

const fieldText = (field: PlanIndex['fields'][number]) => (typeof field === 'string' ? field : field.name)

function Indexes({ lines }: { lines: Line[] }) {
  const used = lines.flatMap((line) => line.indexes.map((index) => ({ index, collection: line.node.collection as string | undefined })))
  return (
    <section>
      <h2 class="label">Indexes used</h2>
      {used.length === 0 && <p class="muted">none</p>}
      {used.map(({ index, collection }, position) => (
        <p key={position}>
          <b>{index.name}</b> of {collection ?? 'the graph'}: {index.type} on <code>{index.fields.map(fieldText).join(', ')}</code>
          {index.unique && ', unique'}
          {index.sparse && ', sparse'}
          {index.selectivityEstimate !== undefined && `, selectivity ${number(index.selectivityEstimate * 100)} %`}
        </p>
      ))}
    </section>
  )
}

function Phases({ profile, statistics }: { profile: Record<string, number>; statistics?: Statistics }) {
  return (
    <section>
      <h2 class="label">Phases</h2>
      <dl class="facts">
        {Object.entries(profile).map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{seconds(value)}</dd>])}
        {statistics && [<dt key="peak">peak memory</dt>, <dd key="peak value">{bytes(statistics.peakMemoryUsage)}</dd>]}
      </dl>
    </section>
  )
}
