import { operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { parameterExample, resolverOf, schemaExample } from './schema-example.ts'

test('all hostnames are under conformance.invalid', () => {
  for (const format of ['hostname', 'uri', 'email', ''])
    expect(schemaExample({ type: 'string', format }, (schema) => schema)).toContain('mock.conformance.invalid')
})

test('a parameter becomes text: one value of a list, and no slash in a path', () => {
  const parameter = { name: 'x', required: true, description: '', source: 'spec' } as const
  const ids = { type: 'array', items: { type: 'integer', minimum: 5 } }
  expect(parameterExample({ ...parameter, in: 'query', schema: ids }, (schema) => schema)).toBe('5')
  expect(parameterExample({ ...parameter, in: 'path', schema: { examples: ['a/b'] } }, (schema) => schema)).toBe('a-b')
  const [operation] = operations
  expect(resolverOf(assertDefined(operation))({ $ref: '#/components/schemas/Error' })).toHaveProperty('type', 'object')
})
