import { expect, it } from 'vitest'
import { callOf, type Outcome, refusal, trimmed } from './program'

/** Runs a program as the server does, with the modules that it needs. */
function run(input: string): Outcome {
  const { text = '' } = callOf(input)
  const require = () => ({ inspect: (value: unknown) => JSON.stringify(value) })
  const consoleOfTest = globalThis.console
  try {
    return new Function('require', text)(require) as Outcome
  } finally {
    globalThis.console = consoleOfTest
  }
}

it('tells the value of the last statement', () => {
  expect(run('1 + 1')).toEqual({ printed: [], shown: '2' })
  expect(run('const a = 5;\na * 2')).toEqual({ printed: [], shown: '10' })
  expect(run('{ a: 1 }')).toEqual({ printed: [], shown: '{"a":1}' })
  expect(run('{ let b = 2; b }')).toEqual({ printed: [], shown: '2' })
  expect(run('undefined')).toEqual({ printed: [] })
})

it('tells what was printed, also before an error', () => {
  expect(run('print("a", [1]); console.log("`${b}`"); throw new Error("oops")')).toEqual({ printed: ['a [1]', '`${b}`'], error: 'Error: oops' })
  expect(run('1 +').error).toContain('SyntaxError')
  expect(run('throw Object.assign(new Error(), { errorNum: 1203, errorMessage: "not there" })').error).toBe('ArangoError 1203: not there')
})

it('says why the server refuses', () => {
  expect(refusal(200)).toBe('')
  expect(refusal(404)).toContain('--javascript.allow-admin-execute')
  expect(refusal(403)).toContain('write')
  expect(trimmed('{ \n  1 \n}')).toBe('{\n  1\n}')
})
