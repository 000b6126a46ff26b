import { expect, it } from 'vitest'
import { chartColumns, series } from './series'

const ROWS = ['{"city":"Bonn","n":3,"at":"2026-01-02"}', '{"city":"Rome","n":1,"at":"2026-01-01T00:00:00Z"}', '{"city":null,"n":"x","at":"2026-01-03"}']

it('finds columns and those with numbers', () => {
  expect(chartColumns(ROWS)).toEqual({ all: ['city', 'n', 'at'], numeric: ['n'] })
  expect(chartColumns(['5', '"a"'])).toEqual({ all: ['value'], numeric: ['value'] })
})

it('has texts in the order of the rows', () => {
  expect(series(ROWS, 'city', ['n'])).toEqual({ axis: 'text', xs: [0, 1, 2], values: [[3, 1, null]], labels: ['Bonn', 'Rome', 'null'], rows: [0, 1, 2] })
})

it('has numbers and dates in their own order', () => {
  expect(series(ROWS, 'at', ['n'])).toMatchObject({ axis: 'time', xs: [1767225600, 1767312000, 1767398400], values: [[1, 3, null]], rows: [1, 0, 2] })
  expect(series(['{"a":2,"b":1}', '{"a":-1.5,"b":2}'], 'a', ['b'])).toMatchObject({ axis: 'number', xs: [-1.5, 2], values: [[2, 1]] })
})

it('counts the rows without a column', () => {
  expect(series(['7', '8'], '', ['value'])).toMatchObject({ axis: 'number', xs: [1, 2], values: [[7, 8]] })
})
