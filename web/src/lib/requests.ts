/** The requests that the interface has sent for the user, the newest first. */
import { signal } from '@preact/signals'
import type { Call } from './api'

/** A request and its outcome. */
export interface Sent {
  id: number
  call: Call
  /** The status; 0 if there was no reply. */
  status: number
  milliseconds: number
}

/** The maximum number of requests to keep. */
const MOST = 50

/** Characters of a body that are kept. */
const MAX_CHARACTERS = 100_000

let lastId = 0

export const requests = signal<Sent[]>([])

/** Forgets all requests. */
export function forgetRequests() {
  requests.value = []
}

/** Adds a request. */
export function record(call: Call, status: number, milliseconds: number) {
  lastId += 1
  const isLong = (call.text?.length ?? 0) > MAX_CHARACTERS
  const listed = isLong ? { ...call, text: undefined, isSecret: true } : call
  requests.value = [{ id: lastId, call: listed, status, milliseconds }, ...requests.value].slice(0, MOST)
}
