/** A dialog with one webhook: its state, and what can be done with it. */
import { useState } from 'preact/hooks'
import { ConfirmAction } from '../component/ConfirmAction'
import { Dialog } from '../component/Dialog'
import { Field } from '../component/Field'
import { type Call, messageOf, path } from '../lib/api'
import { number } from '../lib/format'
import { ask, mayChangeDatabase } from '../lib/session'
import { DeadLetters } from './DeadLetters'
import { isStopped, outcome, type Pinged, type Webhook } from './webhook'
import { chipOf } from './Webhooks'

interface Properties {
  hook: Webhook
  onClose: () => void
  onChanged: () => void
  onEdit: () => void
}

/** What became of an action. */
interface Said {
  text: string
  isBad: boolean
}

export function WebhookDialog({ hook, onClose, onChanged, onEdit }: Properties) {
  const [asked, setAsked] = useState<'remove' | 'replay'>()
  const [said, setSaid] = useState<Said>()
  const address = path`/_api/changes/webhooks/${hook.name}`
  const act = (call: Call, tell: (reply: Pinged) => Said | undefined = () => undefined) =>
    ask<Pinged>(call).then(
      (reply) => {
        setSaid(tell(reply))
        onChanged()
      },
      (error) => setSaid({ text: messageOf(error), isBad: true }),
    )
  if (asked === 'replay') return <Replay hook={hook} onClose={() => setAsked(undefined)} onDone={onChanged} />
  if (asked === 'remove') {
    return (
      <ConfirmAction title={`Remove ${hook.name}`} verb="Remove" isDangerous call={{ method: 'DELETE', path: address }} onClose={() => setAsked(undefined)} onDone={() => { onClose(); onChanged() }}>
        <p>The webhook and its dead letters will be removed.</p>
      </ConfirmAction>
    )
  }
  return (
    <Dialog title={hook.name} isWide onClose={onClose}>
      <div class="dialog-body">
        <Facts hook={hook} />
        {said && (
          <p class={said.isBad ? 'message is-error' : 'message'} role="status">
            {said.text}
          </p>
        )}
        {hook.deadLetters > 0 && <DeadLetters hook={hook} onChanged={onChanged} />}
        {mayChangeDatabase.value && (
          <footer class="dialog-foot">
            <button type="button" class="button" onClick={() => act({ method: 'PATCH', path: address, body: { paused: !isStopped(hook) } })}>
              {isStopped(hook) ? 'Continue' : 'Pause'}
            </button>
            <button type="button" class="button" title="Send one test delivery" onClick={() => act({ method: 'POST', path: `${address}/ping` }, (reply) => ({ text: outcome(reply), isBad: !reply.delivered }))}>
              Test
            </button>
            <button type="button" class="button" onClick={() => setAsked('replay')}>
              Replay
            </button>
            <button type="button" class="button" onClick={onEdit}>
              Edit
            </button>
            <span class="spring" />
            <button type="button" class="button is-danger" onClick={() => setAsked('remove')}>
              Remove
            </button>
          </footer>
        )}
      </div>
    </Dialog>
  )
}

function Facts({ hook }: { hook: Webhook }) {
  const facts: [string, string | undefined | null][] = [
    ['URL', hook.url],
    ['Collections', hook.collections?.join(', ') ?? 'all that its user may read'],
    ['Filter', hook.filter],
    ['Format', hook.format],
    ['User', hook.user],
    ['Token', hook.token],
    ['Lag', number(hook.lag)],
    ['Last success', hook.lastSuccess?.replace('T', ' ')],
    ['Failed attempts', hook.attempts > 0 ? `${hook.attempts} of ${hook.maxAttempts}` : undefined],
    ['Last error', hook.lastError],
  ]
  return (
    <dl class="hook-facts">
      <dt>State</dt>
      <dd>{chipOf(hook)}</dd>
      {facts.map(([title, text]) => text && [<dt key={title}>{title}</dt>, <dd key={`${title}:`}>{text}</dd>])}
    </dl>
  )
}

/** Asks from where changes are delivered once more. */
function Replay({ hook, onClose, onDone }: { hook: Webhook; onClose: () => void; onDone: () => void }) {
  const [since, setSince] = useState('earliest')
  const call: Call | null = since.trim() === '' ? null : { method: 'POST', path: path`/_api/changes/webhooks/${hook.name}/replay`, body: { since: since.trim() } }
  return (
    <ConfirmAction title={`Replay ${hook.name}`} verb="Replay" call={call} onClose={onClose} onDone={onDone}>
      <Field title="Begin behind" hint="A token, `earliest` for all changes that the log has, or `now` to skip what was not delivered.">
        <input class="input mono" required autofocus value={since} onInput={(event) => setSince(event.currentTarget.value)} />
      </Field>
    </ConfirmAction>
  )
}
