import { expect, test } from 'vitest'
import { createValidators } from './contract-validator.ts'

const documentOf = (schema: object) => ({
  components: { schemas: { A: schema, List: { type: 'array', items: { $ref: '#/components/schemas/A' } } } },
})
const list = { $ref: '#/components/schemas/List' }

test('references belong to the document of their schema', () => {
  const validatorOf = createValidators(false)
  const texts = validatorOf(list, documentOf({ type: 'string' }))
  const numbers = validatorOf({ ...list }, documentOf({ type: 'number' }))
  expect([texts(['a']), texts([1]), numbers([1]), numbers(['a'])]).toEqual([true, false, true, false])
})

test('a schema is compiled once, and a reference within an inline schema resolves', () => {
  const validatorOf = createValidators(false)
  const document = documentOf({ type: 'string' })
  const properties = { a: list }
  expect(validatorOf(properties, document)).toBe(validatorOf(properties, document))
  const inline = validatorOf({ type: 'object', properties }, document)
  expect([inline({ a: ['x'] }), inline({ a: [1] })]).toEqual([true, false])
  expect(inline.errors?.[0]?.instancePath).toBe('/a/0')
})

test('a field that every object inherits is absent unless the value has it', () => {
  const validate = createValidators(false)({ properties: { constructor: { type: 'string' } } }, {})
  const required = createValidators(false)({ required: ['toString'] }, {})
  expect([validate({}), validate({ constructor: 1 }), required({})]).toEqual([true, false, false])
})

test('a schema without components has no references; unknown formats pass without a warning', () => {
  const validate = createValidators(false)({ type: 'string', format: 'unix-time' }, {})
  expect([validate('x'), validate(1)]).toEqual([true, false])
})
