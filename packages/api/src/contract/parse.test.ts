import { expect, test } from 'vitest'
import type { OpenApi } from './model.ts'
import { parseContract } from './parse.ts'

const id = { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/Id' } }
const base = {
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'https://test.invalid' }],
  tags: [{ name: 'Area' }],
}

function contract(components: object, parts: object): OpenApi {
  const operation = { tags: ['Area'], 'x-name': 'get-thing', 'x-effect': 'read', responses: {}, ...parts }
  const item = { parameters: [{ $ref: '#/components/parameters/Id' }], get: operation }
  const all = { securitySchemes: {}, schemas: {}, parameters: { Id: id }, ...components }
  // Only the parts that the tests read.
  return { ...base, paths: { '/thing/{id}': item }, components: all } as unknown as OpenApi
}

function parse(api: OpenApi) {
  return parseContract('management', api, api).operations[0]
}

test('references to parameters, bodies, responses and schemas are resolved', () => {
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

test('the schema of a parameter is plain: a choice with one alternative, and the items of a list', () => {
  const schemas = { Id: {}, View: { type: 'integer', enum: [0, 1] } }
  const view = { $ref: '#/components/schemas/View' }
  const parameters = [
    { ...id, name: 'one', schema: { default: 0, oneOf: [view] } },
    { ...id, name: 'all', schema: { type: ['array', 'null'], items: view } },
  ]
  expect(parse(contract({ schemas }, { parameters }))?.parameters.slice(1)).toMatchObject([
    { schema: { type: 'integer', enum: [0, 1], default: 0 } },
    { schema: { type: ['array', 'null'], items: { type: 'integer', enum: [0, 1] } } },
  ])
})

test('a parameter of the operation replaces one of its path', () => {
  const override = { ...id, schema: { type: 'string' } }
  const operation = parse(contract({ schemas: { Id: {} } }, { parameters: [override] }))
  expect(operation?.parameters).toMatchObject([{ name: 'id', schema: { type: 'string' } }])
})
