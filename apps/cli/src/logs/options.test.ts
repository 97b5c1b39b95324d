import { contracts } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { valueTypeOf } from '../program/command.ts'
import { dayType, filterOptions } from './options.ts'

const query = assertDefined(contracts.logging.operations.find(({ path }) => path.startsWith('/v2/')))

test('the filters are all query parameters of version 2, except those that the command sets itself', () => {
  const builtIn = ['from', 'to', 'limit', 'offset', 'order']
  const parameters = query.parameters.filter(({ in: place, name }) => place === 'query' && !builtIn.includes(name))
  expect(filterOptions.map((option) => option.attributeName())).toEqual(parameters.map(({ name }) => name))
})

test('the cache statuses are those of the contract', () => {
  const { enum: values } = assertDefined(contracts.logging.openapi.full.components.schemas?.['CacheStatus'])
  const option = assertDefined(filterOptions.find(({ long }) => long === '--cache-status'))
  expect(valueTypeOf(option)?.choices).toEqual(values)
})

test('only booleans of the contract are options without a value', () => {
  for (const option of filterOptions) {
    const schema = query.parameters.find(({ name }) => name === option.attributeName())?.schema
    expect(option.required, option.long).toBe(schema?.['type'] !== 'boolean')
  }
})

test.each([
  ['2026-06-16', '2026-06-16'],
  ['today', '2026-06-17'],
  ['yesterday', '2026-06-16'],
  ['17.06.2026', undefined],
  ['2026-13-01', undefined],
])('the day %s', (text, day) => {
  expect(dayType.parse(text)?.(new Date('2026-06-17T23:59:59Z')).toISOString().slice(0, 10)).toBe(day)
})
