import { expect, it } from 'vitest'
import { short } from './short'

it('keeps integers, and three digits of other numbers', () => {
  expect([0, 1234, 0.013486, 12.3456, 0.0000845041].map(short)).toEqual(['0', '1,234', '0.0135', '12.3', '0.0000845'])
})
