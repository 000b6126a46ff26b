/** A dialog that confirms an action. It shows the request before it is sent. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Call, messageOf } from '../lib/api'
import { send } from '../lib/session'
import { CopyCurl } from './CopyCurl'
import { Dialog } from './Dialog'

interface Properties {
  title: string
  /** The word on the button. */
  verb: string
  isDangerous?: boolean
  /** The request; `null` while the fields are not complete. */
  call: Call | null
  onDone: (reply: string) => void
  onClose: () => void
  children: ComponentChildren
}

export function ConfirmAction({ title, verb, isDangerous, call, onDone, onClose, children }: Properties) {
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const act = async (event: Event) => {
    event.preventDefault()
    if (!call) return
    setBusy(true)
    try {
      const reply = await send(call)
      onClose()
      onDone(reply)
    } catch (thrown) {
      setError(messageOf(thrown))
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-body" onSubmit={act}>
        {children}
        {error && (
          <p class="message is-error" role="alert">
            {error}
          </p>
        )}
        <footer class="dialog-foot">
          {call && <CopyCurl call={call} />}
          <span class="spring" />
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'button is-danger' : 'button is-main'} disabled={!call || isBusy}>
            {verb}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
