import type { Schema } from '@cdn/api/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { schemaCases } from './schema-cases.ts'

const resolve = (schema: Schema) => schema

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** A schema with each keyword of a constraint. */
const constrained: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: {
    id: { type: 'integer', minimum: 2, maximum: 9 },
    ratio: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 6, multipleOf: 1.5 },
    name: { type: ['string', 'null'], minLength: 2, maxLength: 4 },
    day: { type: 'string', pattern: '^[0-9]$', examples: ['7'] },
    time: { type: 'string', format: 'date-time' },
    order: { enum: ['asc', 'desc'] },
    rank: { enum: [1, 2, null] },
    level: { anyOf: [{ oneOf: [{ type: 'integer', minimum: 1 }] }, { type: 'null' }] },
    tags: { type: 'array', minItems: 1, maxItems: 2, items: { allOf: [{ type: 'boolean' }] } },
  },
}

test('a case that breaks a constraint does not fit its schema, and one that meets it does', () => {
  const validate = ajv.compile(constrained)
  const cases = schemaCases(constrained, resolve)
  for (const { at, keyword, isBroken, value } of cases)
    expect(validate(value), `${at} ${keyword}: ${JSON.stringify(value)}`).toBe(!isBroken)
  const places = (isBroken: boolean) =>
    new Set(cases.filter((each) => each.isBroken === isBroken).map(({ at, keyword }) => `${at} ${keyword}`))
  expect(places(false)).toEqual(places(true))
  expect(places(true).size).toBe(25)
  expect(cases).toContainEqual(
    expect.objectContaining({ at: 'rank', isBroken: true, value: expect.objectContaining({ rank: 3 }) }),
  )
  expect(cases.filter(({ at, keyword, isBroken }) => at === 'time' && keyword === 'type' && isBroken)).toHaveLength(6)
})
