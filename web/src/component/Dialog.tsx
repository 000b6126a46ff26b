/** A dialog above the page. The browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface Properties {
  title: string
  onClose: () => void
  isWide?: boolean
  children: ComponentChildren
}

export function Dialog({ title, onClose, isWide, children }: Properties) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  return (
    <dialog ref={dialog} class={isWide ? 'dialog is-wide' : 'dialog'} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}
