import { expect, test } from 'vitest'
import { Lines, linesOf } from './lines'

test('lines are complete when their end has come', () => {
  const lines = new Lines()
  expect(lines.add('{"a"')).toEqual([])
  expect(lines.add(': 1}\n\n{"b": 2}\n{')).toEqual(['{"a": 1}', '{"b": 2}'])
  expect(lines.add('}\n')).toEqual(['{}'])
})

test('a character may be divided between two pieces', async () => {
  const bytes = new TextEncoder().encode('"ä"\n"€"\n')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const found: string[] = []
  for await (const line of linesOf(body)) found.push(line)
  expect(found).toEqual(['"ä"', '"€"'])
})
