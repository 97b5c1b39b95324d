import { contracts } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { dayType, filterOptions, parameterName } from './options.ts'
import { rowFields } from './row-fields.ts'

const query = contracts.logging.operations.find(({ path }) => path.startsWith('/v2/'))

test('the filters are all query parameters of version 2, except those that the command sets itself', () => {
  const builtIn = ['from', 'to', 'limit', 'offset', 'order']
  const parameters = query?.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name) ?? []
  expect(Object.keys(filterOptions).map(parameterName)).toEqual(parameters.filter((name) => !builtIn.includes(name)))
})

test('only booleans of the contract are options without a value', () => {
  for (const [name, option] of Object.entries(filterOptions)) {
    const schema = query?.parameters.find((parameter) => parameter.name === parameterName(name))?.schema
    expect('value' in option, name).toBe(schema?.['type'] !== 'boolean')
  }
})

test('the fields of a row are those of the contract', () => {
  const schemas = contracts.logging.openapi.full.components?.schemas as
    | Record<string, { properties?: object }>
    | undefined
  expect(rowFields).toEqual(Object.keys(schemas?.['LogEntry']?.properties ?? {}))
})

test.each([
  ['2026-06-16', '2026-06-16'],
  ['today', '2026-06-17'],
  ['yesterday', '2026-06-16'],
  ['17.06.2026', undefined],
  ['2026-13-01', undefined],
])('the day %s', (text, day) => {
  expect(dayType.parse(text, new Date('2026-06-17T23:59:59Z'))?.toISOString().slice(0, 10)).toBe(day)
})
