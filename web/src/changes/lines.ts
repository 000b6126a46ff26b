/** Lines of a text that comes in pieces. */

/** Joins pieces, and divides them into lines. */
export class Lines {
  private rest = ''

  /** Returns the lines that a piece completes, without empty ones. */
  add(piece: string): string[] {
    const lines = (this.rest + piece).split('\n')
    this.rest = lines.pop() ?? ''
    return lines.filter((line) => line !== '')
  }
}

/** Returns the lines of a body as they come. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const lines = new Lines()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield* lines.add(decoder.decode(value, { stream: true }))
    }
  } finally {
    // A reader that stops early ends the request.
    reader.cancel().catch(() => {})
  }
}
