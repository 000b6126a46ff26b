import { describe, expect, it } from 'vitest'
import { attributes, indent, members } from './json'

describe('JSON as text', () => {
  it('is divided without being parsed', () => {
    expect(members('[1, "a]\\"", {"b": [2]},[] ]')).toEqual(['1', '"a]\\""', '{"b": [2]}', '[]'])
    expect(members('[]')).toEqual([])
    expect(attributes('{"a\\u0062": 12345678901234567890, "c": {"d":1}}')).toEqual([
      ['ab', '12345678901234567890'],
      ['c', '{"d":1}'],
    ])
  })

  it('keeps every digit when it is indented', () => {
    expect(indent('{"a":12345678901234567890,"b":[1,2],"c":{},"d":[{"e":1.10}]}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": [1, 2],\n  "c": {},\n  "d": [\n    {\n      "e": 1.10\n    }\n  ]\n}',
    )
  })

  it('ends where a text is cut off', () => {
    expect(members('[1, "abc')).toEqual(['1', '"abc'])
    expect(attributes('{"a": [1')).toEqual([['a', '[1']])
  })
})
