import { expect, test } from 'vitest'
import type { OpenApi } from './model.ts'
import { parseContract } from './parse.ts'

const id = { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/Id' } }
const base = {
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'https://test.invalid' }],
  tags: [{ name: 'Area' }],
}

/** A contract with one operation, and what it refers to. */
function contract(components: object, parts: object): OpenApi {
  const operation = { tags: ['Area'], 'x-name': 'get-thing', 'x-effect': 'read', responses: {}, ...parts }
  const item = { parameters: [{ $ref: '#/components/parameters/Id' }], get: operation }
  const all = { securitySchemes: {}, schemas: {}, parameters: { Id: id }, ...components }
  return { ...base, paths: { '/thing/{id}': item }, components: all } as unknown as OpenApi
}

function parse(api: OpenApi) {
  return parseContract('management', api, api).operations[0]
}

test('parameters, bodies, answers and their schemas are found behind references', () => {
  const schemas = { Id: { $ref: '#/components/schemas/Long' }, Long: { type: 'integer' }, 'a/b': { type: 'object' } }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/a~1b' } } }
  const requestBodies = { Thing: { required: true, content } }
  const responses = { Thing: { description: 'A thing.', content, 'x-error-code': 'odd' } }
  const operation = parse(
    contract(
      { schemas, requestBodies, responses },
      {
        requestBody: { $ref: '#/components/requestBodies/Thing' },
        responses: { 400: { $ref: '#/components/responses/Thing' } },
      },
    ),
  )
  expect(operation?.parameters).toMatchObject([{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }])
  expect(operation?.requestBody).toEqual({ required: true, content: { 'application/json': { type: 'object' } } })
  expect(operation?.responses).toEqual([
    {
      status: '400',
      description: 'A thing.',
      errorCode: 'odd',
      content: { 'application/json': { type: 'object' } },
    },
  ])
})

test('a parameter of the operation stands for one of its path', () => {
  const own = { ...id, schema: { type: 'string' } }
  const operation = parse(contract({ schemas: { Id: {} } }, { parameters: [own] }))
  expect(operation?.parameters).toMatchObject([{ name: 'id', schema: { type: 'string' } }])
})

test.each([
  ['nothing', {}],
  ['itself', { Id: { $ref: '#/components/schemas/Id' } }],
])('a reference that leads to %s is a sentence', (_where, schemas) => {
  expect(() => parse(contract({ schemas }, {}))).toThrow(
    new RangeError('The contract refers to nothing: {"$ref":"#/components/schemas/Id"}'),
  )
})
