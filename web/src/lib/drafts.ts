/** Changes that are not saved. They outlive their page, a reload and an expired session. */
import { effect, type Signal, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { database } from './address'
import { state, user, whenUserChanges } from './session'
import { TabStore } from './tabStore'

export interface Draft {
  text: string
  /** The version that was changed, such as a revision. */
  base: string
  /** The fragment of the page that has the editor, and its database. */
  address: string
  database: string
  title: string
}

const store = new TabStore<Draft[]>('drafts')

export const drafts = signal<Draft[]>([])

const isOf = (draft: Draft, address: string) => draft.address === address && draft.database === database.peek()

/** Returns the draft of a page in the current database. */
export function draftOf(address: string): Draft | undefined {
  return drafts.peek().find((one) => isOf(one, address))
}

export function forgetDraft(address: string) {
  if (draftOf(address)) drafts.value = drafts.peek().filter((one) => !isOf(one, address))
}

/**
 * Keeps the text of an editor as a draft while it differs from the saved one, which is `undefined`
 * until it is loaded.
 */
export function useDraft(text: Signal<string>, saved: string | undefined, { address, title, base }: { address: string; title: string; base: string }) {
  const now = text.value
  // Before the page can be left.
  useLayoutEffect(() => {
    if (saved === undefined) return
    if (now === saved) return forgetDraft(address)
    const draft = { text: now, base, address, database: database.peek(), title }
    drafts.value = [...drafts.peek().filter((one) => !isOf(one, address)), draft]
  }, [now, saved, address, base])
}

/** Characters of a draft that a reload keeps. Longer ones last as long as the page. */
const MAX_CHARACTERS = 1_000_000
/** Milliseconds after the last change until drafts are stored. */
const PAUSE = 300

let isRestored = false
let timer: ReturnType<typeof setTimeout> | undefined
let keepNow = () => {}

whenUserChanges(() => {
  drafts.value = []
  clearTimeout(timer)
  keepNow = () => {}
  store.forget()
})

effect(() => {
  if (state.value !== 'in') return
  // A reload is over when the user is known again.
  if (!isRestored) {
    isRestored = true
    drafts.value = store.read(user.peek()) ?? []
  }
  const kept = drafts.value.filter((one) => one.text.length <= MAX_CHARACTERS)
  const owner = user.peek()
  // Not at every key: texts may be long.
  clearTimeout(timer)
  keepNow = () => store.write(owner, kept)
  timer = setTimeout(keepNow, PAUSE)
})
addEventListener('pagehide', () => keepNow())

// Closing the tab would lose them.
addEventListener('beforeunload', (event) => {
  if (drafts.peek().length > 0) event.preventDefault()
})
