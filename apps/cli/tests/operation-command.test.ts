import { contracts, type Operation, type Parameter, type Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { addOperation } from '../src/operations/operation-command.ts'
import { isCredential } from '../src/operations/schema.ts'
import { parse as parseWith } from './support/parse.ts'

function operationWith(
  parameters: readonly Parameter[],
  body: Schema | undefined,
  effect: Operation['effect'] = 'write',
): Operation {
  return {
    interface: 'management',
    name: 'make-thing',
    method: 'post',
    path: '/thing/{name}',
    area: 'Things',
    summary: 'Make a thing',
    effect,
    source: 'spec',
    schemes: ['AccessKey'],
    scopes: [],
    parameters,
    responses: [{ status: '201', description: 'It is made.', content: {} }],
    ...(body && { requestBody: { required: true, content: { [json]: body } } }),
  }
}

function parameter(name: string, place: Parameter['in'], schema: Schema, required = false): Parameter {
  return { name, in: place, required, description: `The ${name}.`, schema, source: 'spec' }
}

const path = parameter('name', 'path', { type: 'string', minLength: 2 })
const parse = (operation: Operation, ...words: string[]) =>
  parseWith((group, start) => addOperation(group, operation, ['things', operation.name], start), words)

/** The names of the options that belong to no group of the help, without `--`. */
async function optionsOf(operation: Operation): Promise<string[]> {
  const command = await parse(operation, 'ab')
  const own = command.options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined)
  return own.map(({ long }) => String(long).slice(2))
}

test('parameters and body fields are options of the right types', async () => {
  const body: Schema = {
    type: 'object',
    allOf: [
      { type: 'object', properties: { FromAll: { type: ['boolean', 'null'] } } },
      { $ref: '#/components/schemas/Error' },
    ],
    properties: {
      OriginURLList: { type: 'array', items: { type: 'string' } },
      MaxAge: { type: 'integer', minimum: 0, maximum: 10 },
      Ratio: { type: 'number' },
      Kind: { type: 'string', enum: ['one', 'two'] },
      Deep: { type: 'object' },
      Since: { type: 'string', format: 'date-time' },
    },
  }
  const operation = operationWith([path, parameter('x-trace', 'header', { type: 'string' })], body)
  const line =
    'ab --origin-url-list a --origin-url-list b --max-age 10 --ratio 0.5 --kind two --deep {"a":[1]} --from-all --x-trace t --error-key k --since 2026-06-17T14:00'
  const command = await parse(operation, ...line.split(' '))
  expect(command.processedArgs).toEqual(['ab'])
  expect(command.opts()).toEqual({
    originUrlList: ['a', 'b'],
    maxAge: 10,
    ratio: 0.5,
    kind: 'two',
    deep: { a: [1] },
    fromAll: true,
    xTrace: 't',
    errorKey: 'k',
    since: '2026-06-17T14:00:00.000Z',
  })
  await expect(parse(operation, 'ab', '--deep', '{')).rejects.toThrow("argument '{' is invalid: expected a JSON value.")
})

const api = contracts.management.openapi.full
const nothing = { type: 'null' }

test.each<[string, Schema, string, unknown]>([
  ['oneOf of a reference and null', { oneOf: [{ $ref: '#/components/schemas/Kind' }, nothing] }, '2', 2],
  ['anyOf of single values', { anyOf: [{ const: 'a' }, { type: 'string', enum: ['b'] }] }, 'b', 'b'],
  [
    'oneOf of integer values',
    {
      oneOf: [
        { type: 'integer', enum: [0] },
        { type: 'integer', enum: [1] },
      ],
    },
    '1',
    1,
  ],
  ['an integer or text', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, '7', 7],
  ['an integer enumeration', { type: 'integer', enum: [0, 3] }, '3', 3],
  ['a number', { type: 'number' }, '0.5', 0.5],
  ['an exact number', { type: 'number' }, '9007199254740993', 9007199254740993n],
  ['a 32-bit integer', { type: 'integer', format: 'int32' }, '-2147483648', -2147483648],
])('an option takes %s', async (_text, schema, word, value) => {
  const kind = { Kind: { type: 'integer', enum: [0, 1, 2] } }
  const schemas = assertDefined(api.components.schemas)
  Object.assign(schemas, kind)
  try {
    const operation = operationWith([path], { type: 'object', properties: { Kind: schema } })
    expect((await parse(operation, 'ab', '--kind', word)).opts()['kind']).toBe(value)
  } finally {
    Reflect.deleteProperty(schemas, 'Kind')
  }
})

test.each<[Schema, string, string]>([
  [{ type: 'integer', format: 'int32' }, '2147483648', 'expected a 32-bit integer.'],
  [{ oneOf: [{ enum: ['a'] }, { enum: ['b'] }] }, 'c', 'expected a or b.'],
])('an option of %j refuses %s', async (schema, word, message) => {
  const operation = operationWith([path], { type: 'object', properties: { Kind: schema } })
  await expect(parse(operation, 'ab', '--kind', word)).rejects.toThrow(message)
})

const json = 'application/json'

test('a name that every command or every object has, or that occurs twice, is replaced', async () => {
  const names = [
    'output',
    'query',
    'profile',
    'timeout',
    'verbose',
    'help',
    'dry-run',
    'body',
    'yes',
    'no-cache',
    'constructor',
    'to-string',
  ]
  const operation = operationWith([path, ...names.map((name) => parameter(name, 'query', { type: 'string' }))], {
    type: 'object',
    properties: { Twice: { type: 'string' }, twice: { type: 'string' } },
  })
  expect(await optionsOf(operation)).toEqual([
    ...names.map((name) => `field-${name}`),
    'twice',
    'field-twice',
    'body',
    'timeout',
  ])
})

test('a required parameter must be given', async () => {
  const operation = operationWith([path, parameter('from', 'query', { type: 'string' }, true)], undefined)
  await expect(parse(operation, 'ab')).rejects.toThrow("Required option '--from <text>' not specified")
})

test('a header that carries the credential is not an option', async () => {
  const header = parameter('AccessKey', 'header', { type: 'string' }, true)
  expect(isCredential('accesskey')).toBe(true)
  const operation = operationWith([path, header, parameter('X-A', 'header', { type: 'string' })], undefined)
  expect(await optionsOf(operation)).toEqual(['x-a', 'timeout'])
})

test('only destructive operations have --yes', async () => {
  expect(await optionsOf(operationWith([path], undefined, 'destructive'))).toEqual(['yes', 'timeout'])
  expect(await optionsOf(operationWith([path], undefined))).toEqual(['timeout'])
})

test('the arguments follow the order of the path', async () => {
  const integer = (name: string) => parameter(name, 'path', { type: 'integer' }, true)
  const operation = {
    ...operationWith([integer('id'), integer('zoneId')], undefined),
    path: '/zone/{zoneId}/rule/{id}',
  }
  const command = await parse(operation, '1', '2')
  expect(command.registeredArguments.map((argument) => argument.name())).toEqual(['zone-id', 'id'])
  expect(command.processedArgs).toEqual(['1', '2'])
})
