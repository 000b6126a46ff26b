import { describe, expect, it } from 'vitest'
import { Failure } from '../lib/api'
import { marks, offset } from './position'

describe('the places of errors', () => {
  it('are counted in lines and characters', () => {
    expect(offset('ab\ncd', 2, 2)).toBe(4)
    expect(offset('"🥑" x', 1, 5)).toBe(5)
    expect(offset('ab', 9, 9)).toBe(2)
  })

  it('are marked at the word', () => {
    const failure = new Failure('syntax error', 400, 1501, { line: 1, column: 10 })
    expect(marks(failure, 'FOR d IN FILTR x')).toMatchObject([{ from: 9, to: 14, message: 'syntax error' }])
  })

  it('are found by the name in the message', () => {
    expect(marks(new Failure('collection or view not found: nodocs', 404, 1203), 'FOR d IN nodocs RETURN d')).toMatchObject([{ from: 9, to: 15 }])
    expect(marks(new Failure("no value specified for declared bind parameter 'x'", 400), 'RETURN @x')).toMatchObject([{ from: 7, to: 9 }])
    expect(marks(new Error('other'), 'RETURN 1')).toEqual([])
  })
})
