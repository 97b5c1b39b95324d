import { operations, type Schema } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { followReference } from '@cdn/kit/reference'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { parameterExample, resolverOf, schemaExample } from './example.ts'

const components: Readonly<Record<string, Schema>> = {
  Tree: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, child: { $ref: '#/c/Tree' } },
  },
}
const resolve = (schema: Schema) => followReference({ c: components }, schema)

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

test.each<[string, Schema]>([
  [
    'nested objects',
    {
      type: 'object',
      required: ['a'],
      properties: { a: { $ref: '#/c/Tree' }, b: { type: 'string' } },
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
      allOf: [{ $ref: '#/c/Tree' }, { type: 'object', required: ['x'], properties: { x: { const: 5 } } }],
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
  ['text that matches a pattern', { type: 'string', pattern: '^AC[0-9a-fA-F]{32}$' }],
  ['short text that matches a pattern', { type: 'string', pattern: '^x+$', minLength: 3, maxLength: 5 }],
  ['long text', { type: 'string', minLength: 40 }],
  ['numbers', { type: 'number', exclusiveMinimum: 10, multipleOf: 0.5 }],
  ['a small number', { type: 'integer', maximum: -4 }],
  ['a minimum number of properties', { type: 'object', minProperties: 1, properties: { a: { type: 'boolean' } } }],
  ...['date-time', 'date', 'uuid', 'email', 'uri', 'hostname', 'ipv4', 'ipv6', 'duration'].map(
    (format): [string, Schema] => [format, { type: 'string', format }],
  ),
])('an example of %s fits its schema', (_name, schema) => {
  const value = schemaExample(schema, resolve)
  const validate = ajv.compile({ ...schema, c: components })
  expect(validate(value), `${JSON.stringify(value)}: ${JSON.stringify(validate.errors)}`).toBe(true)
})

test('a value that the schema gives wins over a generated one', () => {
  for (const given of [{ const: 7 }, { examples: [7] }, { default: 7 }, { enum: [7, 8] }])
    expect(schemaExample({ type: 'integer', ...given }, resolve)).toBe(7)
})

test('a pattern that no generator supports gives a text', () => {
  for (const pattern of ['^(?=x)y', '[', '^x{1000000000}$'])
    expect(schemaExample({ type: 'string', pattern }, resolve)).toBe('mock.conformance.invalid')
})

test('a schema that requires itself recursively gives a finite value', () => {
  const endless = { type: 'object', required: ['next'], properties: { next: { $ref: '#/c/Endless' } } }
  expect(JSON.stringify(schemaExample(endless, () => endless)).length).toBeLessThan(1000)
})

test('a parameter becomes text: one value of a list, and no slash in a path', () => {
  const parameter = { name: 'x', required: true, description: '', source: 'spec' } as const
  const ids = { type: 'array', items: { type: 'integer', minimum: 5 } }
  expect(parameterExample({ ...parameter, in: 'query', schema: ids }, resolve)).toBe('5')
  expect(parameterExample({ ...parameter, in: 'path', schema: { examples: ['a/b'] } }, resolve)).toBe('a-b')
  const [operation] = operations
  expect(resolverOf(defined(operation))({ $ref: '#/components/schemas/Error' })).toHaveProperty('type', 'object')
})
