import { createValidators } from '@cdn/kit/contract-validator'
import { followReference } from '@cdn/kit/reference'
import { expect, test } from 'vitest'
import type { Schema } from './model.ts'
import { type SampleStyle, sampleOf } from './sample.ts'

const components: Readonly<Record<string, Schema>> = {
  Tree: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, child: { $ref: '#/components/schemas/Tree' } },
  },
}
const resolve = (schema: Schema) => followReference({ components: { schemas: components } }, schema)

const style: SampleStyle = { host: 'sample.invalid', now: new Date(0), text: (name) => `a ${name}` }
const styles: readonly SampleStyle[] = [style, { ...style, text: () => '', isBlank: true }]
const validatorOf = createValidators(true)

test.each<[string, Schema]>([
  [
    'nested objects',
    {
      type: 'object',
      required: ['a'],
      properties: { a: { $ref: '#/components/schemas/Tree' }, b: { type: 'string' } },
    },
  ],
  ['null among types', { type: ['null', 'integer'], minimum: 3 }],
  ['null alone', { type: 'null' }],
  [
    'a choice',
    { oneOf: [{ type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }, { type: 'null' }] },
  ],
  [
    'a choice of what is required',
    { type: 'object', properties: { a: { const: 1 }, b: {} }, anyOf: [{ required: ['a'] }] },
  ],
  [
    'parts',
    {
      allOf: [
        { $ref: '#/components/schemas/Tree' },
        { type: 'object', required: ['x'], properties: { x: { const: 5 } } },
      ],
    },
  ],
  [
    'parts that describe the same property',
    {
      allOf: [
        { required: ['a', 'b'], properties: { a: {}, b: { enum: ['x'] } }, example: { a: 1 } },
        { properties: { a: { enum: ['one'] }, b: { type: 'string' } } },
      ],
    },
  ],
  [
    'parts with choices',
    {
      allOf: [
        { oneOf: [{ required: ['a'], properties: { a: { const: 1 } } }, { type: 'null' }] },
        { anyOf: [{ required: ['b'], properties: { b: { const: 2 } } }] },
        { anyOf: [{ required: ['c'], properties: { c: { const: 3 } } }] },
      ],
    },
  ],
  ['a list that is not empty', { type: 'array', minItems: 2, items: { enum: ['one', 'two'] } }],
  ['short text', { type: 'string', maxLength: 3 }],
  ['text that matches a pattern', { type: 'string', pattern: '^x+$', example: 'xx' }],
  ['long text', { type: 'string', minLength: 40 }],
  ['numbers', { type: 'number', exclusiveMinimum: 10, multipleOf: 0.5 }],
  ['decimals', { type: 'number', minimum: 0.3, multipleOf: 0.1 }],
  ['prices', { type: 'number', minimum: 19.99, multipleOf: 0.01 }],
  ['a small number', { type: 'integer', maximum: -4 }],
  ['a minimum number of properties', { type: 'object', minProperties: 1, properties: { a: { type: 'boolean' } } }],
  ...['date-time', 'date', 'uuid', 'email', 'uri', 'hostname', 'ipv4', 'ipv6', 'duration'].map(
    (format): [string, Schema] => [format, { type: 'string', format }],
  ),
])('samples of %s fit their schema', (_name, schema) => {
  for (const each of styles) {
    const value = sampleOf(schema, resolve, each)
    const validate = validatorOf(schema, { components: { schemas: components } })
    expect(validate(value), `${JSON.stringify(value)}: ${JSON.stringify(validate.errors)}`).toBe(true)
  }
})

test('a blank sample has all properties, and null, zero and empty texts where these are permitted', () => {
  const properties = {
    text: { type: 'string', example: 'shown' },
    count: { type: 'integer' },
    note: { type: ['string', 'null'] },
    kind: { enum: ['A'] },
    at: { type: 'string', format: 'date-time' },
    any: {},
  }
  const schema = { type: 'object', required: ['text', 'any'], properties }
  const blank = { text: '', count: 0, note: null, kind: 'A', at: '1970-01-01T00:00:00.000Z', any: null }
  expect(styles.map((each) => sampleOf(schema, resolve, each))).toEqual([{ text: 'shown', any: 'a any' }, blank])
})

test('a value that the schema gives wins over a generated one', () => {
  for (const given of [{ const: 7 }, { examples: [7] }, { default: 7 }, { enum: [7, 8] }])
    expect(sampleOf({ type: 'integer', ...given }, resolve, style)).toBe(7)
})

test('a schema that requires itself recursively gives a finite value', () => {
  const endless = { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Endless' } } }
  expect(JSON.stringify(sampleOf(endless, () => endless, style)).length).toBeLessThan(1000)
})
