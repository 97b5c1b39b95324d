import { contracts, type Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { chooseVariants } from '../variants/variants.ts'
import { readQueryParameters } from './parameters.ts'

const read = (schema: Schema, query: string) => {
  const [parameter] = assertDefined(contracts.logging.operations[0]).parameters
  const parameters = [{ ...assertDefined(parameter), in: 'query' as const, name: 'it', schema }]
  return readQueryParameters(
    { ...assertDefined(contracts.logging.operations[0]), parameters },
    query,
    chooseVariants({}),
  )
}

test.each<[Schema, string, unknown]>([
  [{ type: 'number', minimum: 0.5 }, 'it=0.5', 0.5],
  [{ type: 'number' }, 'it=-2.5e3', -2500],
  [{ allOf: [{ type: 'integer' }] }, 'it=7', 7],
  [{ oneOf: [{ type: 'integer', enum: [3, 7] }, { type: 'null' }] }, 'it=7', 7],
  [{ type: 'array', items: { allOf: [{ type: 'number' }] } }, 'it=1&it=2.5', [1, 2.5]],
  [{ $ref: '#/components/schemas/CacheStatus' }, 'it=HIT', 'HIT'],
])('a parameter %j takes %s', (schema, query, value) => {
  expect(read(schema, query)).toEqual({ values: { it: value }, problems: [] })
})

test.each(['it=x', 'it=1x', 'it=0x1', 'it=1e999', 'it=NaN'])('a parameter that is a number refuses %s', (query) => {
  expect(read({ type: 'number' }, query).problems).toEqual(['The parameter it takes a number.'])
})
