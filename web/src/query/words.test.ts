import { describe, expect, it } from 'vitest'
import { argumentsText, variables } from './words'

describe('completion', () => {
  it('knows the variables of a query', () => {
    const found = variables('FOR d IN docs FOR v, e, p IN 1..2 OUTBOUND d rel LET x = 1 RETURN x')
    expect([...found]).toEqual([['d', 'docs'], ['v', undefined], ['x', undefined]])
  })

  it('tells arguments and which of them are optional', () => {
    expect(argumentsText('.,.')).toBe('(value, value)')
    expect(argumentsText('h,.|.')).toBe('(collection, value, value?)')
    expect(argumentsText('.|.+')).toBe('(value, ...)')
    expect(argumentsText('')).toBe('()')
  })
})
