import { expect, it } from 'vitest'
import { refusal, trimmed } from './words'

it('says why the server refuses', () => {
  expect(refusal(200)).toBe('')
  expect(refusal(404)).toContain('--javascript.allow-admin-execute')
  expect(refusal(403)).toContain('write')
  expect(trimmed('{ \n  1 \n}')).toBe('{\n  1\n}')
})
