import { expect, test } from 'vitest'
import type { Json } from '../import/json.ts'
import { maxBump } from './change.ts'
import { compareContracts } from './compare.ts'

type Parts = { field?: Json; answers?: Json; operation?: Json; root?: Json; schemas?: Json }

/** Creates a contract with one operation, whose response body has one field. */
function contract({ field = { type: 'string' }, answers = {}, operation = {}, root = {}, schemas = {} }: Parts): Json {
  const schema = { type: 'object', properties: { Field: field } }
  return {
    openapi: '3.1.0',
    info: { title: 'Zones', version: '1' },
    servers: [{ url: 'https://zones.invalid/v1' }],
    security: [{ key: [] }],
    paths: {
      '/zones': {
        get: {
          summary: 'List zones',
          'x-scopes': ['Read', 'Manage'],
          responses: { '200': { description: 'Zones.', content: { 'application/json': { schema } } }, ...answers },
          ...operation,
        },
      },
    },
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Key' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
    ...root,
  }
}

const states = { enum: ['on', 'off'], type: 'string' }
const State = { type: 'object', description: 'The state.', properties: { On: { type: 'boolean' } } }
const orNull = (description: string) => ({ anyOf: [{ ...State, description }, { type: 'null' }] })

test.each<[string, Parts, Parts, string]>([
  ['nothing', {}, {}, 'none'],
  [
    'an enum that became a choice of its values',
    { field: states },
    { field: { oneOf: [{ const: 'off' }, { const: 'on' }] } },
    'none',
  ],
  [
    'an enum by reference that became a choice of single values',
    { field: { oneOf: [{ $ref: '#/components/schemas/State' }] }, schemas: { State: states } },
    {
      field: { $ref: '#/components/schemas/State' },
      schemas: {
        State: {
          oneOf: [
            { enum: ['on'], type: 'string' },
            { enum: ['off'], type: 'string' },
          ],
        },
      },
    },
    'patch',
  ],
  [
    'an additional value in an answer',
    { field: states },
    { field: { ...states, enum: ['on', 'off', 'paused'] } },
    'major',
  ],
  [
    'another description inside of a nullable field',
    { field: orNull('The state.') },
    { field: orNull('The old state.') },
    'patch',
  ],
  [
    'another field inside of a nullable field',
    { field: orNull('') },
    { field: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    'major',
  ],
  ...(
    [
      ['an additional optional field by allOf', { properties: { Off: { type: 'boolean' } } }, 'minor'],
      ['the same fields by allOf', { type: 'object' }, 'patch'],
      ['an additional field by a closed part', { properties: { Off: {} }, additionalProperties: false }, 'minor'],
    ] as const
  ).map(([what, part, bump]): [string, Parts, Parts, string] => [
    what,
    { field: { $ref: '#/components/schemas/State' }, schemas: { State } },
    { field: { allOf: [{ $ref: '#/components/schemas/State' }, part] }, schemas: { State } },
    bump,
  ]),
  [
    'a removed field in a part of allOf',
    {
      field: { allOf: [{ $ref: '#/components/schemas/State' }, { properties: { A: {}, B: {} } }] },
      schemas: { State },
    },
    { field: { allOf: [{ $ref: '#/components/schemas/State' }, { properties: { A: {} } }] }, schemas: { State } },
    'major',
  ],
  ['another status', {}, { answers: { '404': { description: 'None.' } } }, 'minor'],
  ['another server', {}, { root: { servers: [{ url: 'https://other.invalid/v1' }] } }, 'major'],
  ['another base path', {}, { root: { servers: [{ url: 'https://zones.invalid/v2' }] } }, 'major'],
  [
    'a removed credential',
    { operation: { security: [{ key: [] }, { token: [] }] } },
    { operation: { security: [{ key: [] }] } },
    'major',
  ],
  [
    'an additional credential',
    { operation: { security: [{ key: [] }] } },
    { operation: { security: [{ key: [] }, { token: [] }] } },
    'minor',
  ],
  ['a newly required credential', { operation: { security: [] } }, {}, 'major'],
  ['a newly optional credential', {}, { operation: { security: [{ key: [] }, {}] } }, 'minor'],
  ['a removed scope', {}, { operation: { 'x-scopes': ['Manage'] } }, 'major'],
  ['an additional scope', {}, { operation: { 'x-scopes': ['Read', 'Manage', 'All'] } }, 'minor'],
  [
    'another header for the key',
    {},
    {
      root: { components: { schemas: {}, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } },
    },
    'major',
  ],
])('%s requires the right part of the version', async (_what, before, after, bump) => {
  const changes = await compareContracts(contract(before), contract(after))
  expect(maxBump(changes.map(({ impact }) => impact)), JSON.stringify(changes)).toBe(bump)
})
