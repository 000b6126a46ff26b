import { expect, it } from 'vitest'
import { labels, mean, parse, rate } from './metrics'

const sample = (time: number, text: string) => ({ time, metrics: parse(text) })

it('reads samples with labels and leaves comments out', () => {
  expect([...parse('# HELP a b\na 1\nb{c="x y"} 2.5\n\nbroken')]).toEqual([['a', 1], ['b{c="x y"}', 2.5]])
})

it('computes rates and means between samples', () => {
  const before = sample(0, 'n 5\nt_sum 1\nt_count 10')
  const after = sample(2000, 'n 9\nt_sum 2\nt_count 14')
  expect(rate('n', before, after)).toBe(2)
  expect(mean('t', before, after)).toBe(0.25)
  expect(mean('t', after, after)).toBe(null)
  expect(rate('n', after, before)).toBe(0)
})

it('label an axis without repetition', () => {
  const rounded = (value: number) => `${Math.round(value)} %`
  expect(labels([0, 0.2, 0.4, 0.6], rounded)).toEqual(['0 %', '', '', '1 %'])
})
