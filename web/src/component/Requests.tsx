/** The list of the requests that the interface has sent, each to copy as curl. */
import { useState } from 'preact/hooks'
import { bodyOf } from '../lib/api'
import { number } from '../lib/format'
import { requests, type Sent } from '../lib/requests'
import { CopyCurl } from './CopyCurl'
import { Dialog } from './Dialog'

export function Requests() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        Requests
      </button>
      {isOpen && (
        <Dialog title="Requests of this page" isWide onClose={() => setOpen(false)}>
          <div class="dialog-body">
            {requests.value.length === 0 && <p class="muted">No requests yet.</p>}
            {requests.value.map((sent) => (
              <Line key={sent.id} sent={sent} />
            ))}
          </div>
        </Dialog>
      )}
    </>
  )
}

function Line({ sent: { call, status, milliseconds } }: { sent: Sent }) {
  const body = bodyOf(call)
  return (
    <section class="request">
      <div class="side-row">
        <code class="who">
          <b>{call.method}</b> {call.path}
        </code>
        <span class={status >= 200 && status < 400 ? 'chip' : 'chip is-bad'}>{status || 'no reply'}</span>
        <span class="muted">{number(Math.round(milliseconds))} ms</span>
        <CopyCurl call={call} />
      </div>
      {body !== undefined && <code class="request-body">{body.slice(0, 300)}</code>}
    </section>
  )
}
