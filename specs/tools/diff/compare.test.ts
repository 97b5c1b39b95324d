import { toRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'
import type { Json } from '../import/json.ts'
import { compareContracts, maxBump } from './compare.ts'

const text = { type: 'string' }
type Parts = {
  field?: Json
  sent?: Json | undefined
  whole?: Json
  responses?: Json
  operation?: Json
  root?: Json
  schemas?: Json
}

/** Creates a contract with one operation. Its request body and its response body have one field each. */
function contract(parts: Parts): Json {
  const { field = text, sent, whole = {}, responses = {}, operation = {}, root = {}, schemas = {} } = parts
  const schema = { type: 'object', properties: { Field: field }, ...whole }
  const body = { type: 'object', properties: { ...(sent && { Sent: sent }), Other: text } }
  return {
    openapi: '3.1.0',
    info: { title: 'Zones', version: '1' },
    servers: [{ url: 'https://zones.invalid/v1' }],
    security: [{ key: [] }],
    paths: {
      '/zones': {
        post: {
          summary: 'Find zones',
          requestBody: { content: { 'application/json': { schema: body } } },
          'x-scopes': ['Read', 'Manage'],
          responses: { '200': { description: 'Zones.', content: { 'application/json': { schema } } }, ...responses },
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

const edits: readonly (readonly [what: string, before: Parts, after: Parts, bump: string])[] = [
  ['nothing', {}, {}, 'none'],
  [
    'an enum that became a choice of its values',
    { field: states },
    { field: { oneOf: [{ const: 'off' }, { const: 'on' }] } },
    'none',
  ],
  [
    'an enum by reference that became a choice of single values',
    { field: { oneOf: [{ $ref: '#/components/schemas/State' }] }, schemas: { State: states }, root: {} },
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
    'an additional value in a response',
    { field: states },
    { field: { ...states, enum: ['on', 'off', 'paused'] } },
    'major',
  ],
  [
    'another description inside of a nullable field',
    { field: orNull('The state.'), root: {} },
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
  // What oasdiff rates as ERR or WARN is major, what it rates as INFO is minor.
  ...(
    [
      ['a removed field', { type: 'string' }, undefined, 'major'],
      ['a smaller maximum', { type: 'integer', maximum: 9 }, { type: 'integer', maximum: 5 }, 'major'],
      ['a larger maximum', { type: 'integer', maximum: 5 }, { type: 'integer', maximum: 9 }, 'minor'],
      ['a larger length', { type: 'string', maxLength: 5 }, { type: 'string', maxLength: 9 }, 'minor'],
      ['an additional value', { enum: ['on'] }, { enum: ['on', 'off'] }, 'minor'],
      ['a removed value', { enum: ['on', 'off'] }, { enum: ['on'] }, 'major'],
      ['an additional type', text, { oneOf: [text, { type: 'integer' }] }, 'minor'],
      ['an additional type before the old one', text, { oneOf: [{ type: 'integer' }, text] }, 'minor'],
      ['a removed type', { oneOf: [text, { type: 'integer' }] }, text, 'major'],
      ['a deprecated field', text, { ...text, deprecated: true }, 'minor'],
      ['another description', text, { ...text, description: 'The name.' }, 'patch'],
    ] as const
  ).map(([what, before, after, bump]): [string, Parts, Parts, string] => [
    `in a request, ${what}`,
    { sent: before },
    { sent: after },
    bump,
  ]),
  ['in a response, a removed value', { field: states }, { field: { ...states, enum: ['on'] } }, 'minor'],
  ['in a response, a field that became required', {}, { whole: { required: ['Field'] } }, 'minor'],
  ['in a response, a field that became optional', { whole: { required: ['Field'] } }, {}, 'major'],
  ['in a response, no more additional fields', {}, { whole: { additionalProperties: false } }, 'minor'],
  ['in a response, an additional type', {}, { field: { oneOf: [text, { type: 'integer' }] } }, 'major'],
  ['in a response, a removed field', {}, { whole: { properties: {} } }, 'major'],
  ['a deprecated operation', {}, { operation: { deprecated: true } }, 'minor'],
  ['another summary', {}, { operation: { summary: 'Search zones' } }, 'patch'],
  ['another status', {}, { responses: { '404': { description: 'None.' } } }, 'minor'],
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
]

/** Edits whose operations can be parts of one contract, so that one comparison suffices. */
const together = edits.filter(([, before, after]) => !before.root && !after.root)

function contractOf(all: readonly Parts[]): Json {
  const contracts = all.map((parts, index) => {
    const text = JSON.stringify(contract(parts))
    return toRecord(JSON.parse(text.replaceAll('schemas/State', `schemas/State${index}`)))
  })
  const paths = contracts.map(({ paths }, index) => [`/edit-${index}`, toRecord(paths)['/zones']])
  const schemas = contracts.flatMap(({ components }, index) =>
    Object.entries(toRecord(toRecord(components)['schemas'])).map(([name, schema]) => [`${name}${index}`, schema]),
  )
  const whole = contract({ schemas: Object.fromEntries(schemas) })
  return { ...whole, paths: Object.fromEntries(paths) }
}

const changesTogether = await compareContracts(
  contractOf(together.map(([, before]) => before)),
  contractOf(together.map(([, , after]) => after)),
)

test.each(together.map((edit, index) => [...edit, index] as const))('%s', (_what, _before, _after, bump, index) => {
  const changes = changesTogether.filter(({ path }) => new RegExp(`edit-${index}(?!\\d)`).test(path))
  expect(maxBump(changes.map(({ impact }) => impact)), JSON.stringify(changes)).toBe(bump)
})

test.each(edits.filter((edit) => !together.includes(edit)))('%s', async (_what, before, after, bump) => {
  const changes = await compareContracts(contract(before), contract(after))
  expect(maxBump(changes.map(({ impact }) => impact)), JSON.stringify(changes)).toBe(bump)
})
