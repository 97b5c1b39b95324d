import { toRecord } from '@cdn/kit/record'
import { lookUp } from '@cdn/kit/reference'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { valueAt } from '../tests/facts/compare.ts'
import { pointer } from '../tests/facts/fact.ts'
import { type ImportOptions, importContract } from './contract.ts'
import type { Json } from './json.ts'
import { assumedNotes } from './review.ts'

/** Features of foreign contracts: OpenAPI 3.0, references of every kind, vendor extensions. */
const foreign = `
openapi: 3.0.3
info: { title: Storage, version: "1.2" }
servers: [{ url: "https://{region}.storage.invalid/v1/", variables: { region: { default: eu } } }, { url: https://b.invalid }]
security: [{ key: [] }]
paths:
  /storagezone:
    parameters: [{ $ref: "#/components/parameters/Trace" }]
    get:
      operationId: StorageZonePublic_Index
      tags: [StorageZone]
      x-vendor: { a: 1 }
      security: [{ key: [User, Manage] }, { oauth: [User] }]
      parameters:
        - { name: ids, in: query, schema: { type: array, items: { type: integer, format: int64 } }, example: [7] }
        - { name: accesskey, in: header, required: true, schema: { type: string } }
        - { name: session, in: cookie, schema: { type: string } }
      responses: { "200": { $ref: "#/components/responses/Zones" } }
    post:
      tags: [storage zone, Other]
      security: []
      callbacks: { done: { "{$request.query.url}": { post: { responses: {} } } } }
      requestBody: { $ref: "#/components/requestBodies/Zone" }
      responses: { 2xx: { } }
  /storagezone/{zone}:
    delete:
      summary: Delete storage zone
      security: [{}, { key: [] }]
      parameters: [{ name: zone, in: path, schema: { type: integer } }]
      responses: { "204": { description: Gone. } }
    get:
      summary: Get storage zone
      security: [{ query: [] }]
      servers: [{ url: https://elsewhere.invalid }]
      parameters: [{ name: zone, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { description: It. } }
components:
  parameters:
    Trace: { name: trace, in: query, schema: { type: string } }
  requestBodies:
    Zone: { content: { application/json: { schema: { $ref: "#/components/schemas/Zone" }, example: { no: 1 } } } }
  responses:
    Zones:
      description: All.
      links: { x: { operationId: StorageZonePublic_Index } }
      content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Zone" } } } }
  schemas:
    Unused: { type: string }
    Zone:
      type: object
      x-vendor: zone
      properties:
        Name: { type: string, nullable: true, enum: [a, b], example: a }
        Size: { type: number, minimum: 0, exclusiveMinimum: true }
        Parent: { nullable: true, description: Above., allOf: [{ $ref: "#/components/schemas/Zone" }] }
        x-kept: { type: string, x-dropped: true, pattern: "(?i)a" }
        Kind:
          oneOf: [{ $ref: "#/components/schemas/A%20B" }]
          discriminator: { propertyName: kind, mapping: { a: "#/components/schemas/A%20B", b: "A B" } }
    A B: { type: object, required: [kind], properties: { kind: { type: string } } }
  securitySchemes:
    key: { type: apiKey, in: header, name: accesskey }
    oauth: { type: oauth2, flows: {} }
    query: { type: apiKey, in: query, name: key }
`

const options = {
  name: 'edge-storage',
  source: 'imported from a file [C]',
  names: new Map<string, string>(),
  namespace: '',
}
const imported = importContract(parse(foreign), options)
const at = (...steps: string[]) => valueAt(imported.contract, pointer(...steps))

test('the contract keeps its server, title and credentials, each with its variable', () => {
  expect(at('servers')).toEqual([{ url: 'https://eu.storage.invalid/v1' }])
  expect(at('x-source')).toBe('imported from a file [C]')
  expect(at('tags')).toEqual([{ name: 'StorageZone' }, { name: 'Storage' }])
  expect(at('components', 'securitySchemes')).toEqual({
    key: { type: 'apiKey', in: 'header', name: 'accesskey', 'x-variable': 'CDN_EDGE_STORAGE_ACCESS_KEY' },
    oauth: { type: 'http', scheme: 'bearer', 'x-variable': 'CDN_EDGE_STORAGE_TOKEN' },
  })
})

test('operations have our extensions, and an assumed effect', () => {
  expect(at('paths', '/storagezone', 'get')).toEqual({
    tags: ['StorageZone'],
    operationId: 'StorageZonePublic_Index',
    summary: 'GET /storagezone',
    description: 'GET /storagezone',
    'x-name': 'get-storagezone',
    'x-effect': 'read',
    'x-assumed': ['x-effect'],
    'x-scopes': ['User', 'Manage'],
    security: [{ key: [] }, { oauth: [] }],
    parameters: [
      { name: 'trace', in: 'query', schema: { type: 'string' } },
      {
        name: 'ids',
        in: 'query',
        schema: { type: 'array', items: { type: 'integer', format: 'int64' }, examples: [[7]] },
      },
    ],
    responses: {
      '200': {
        description: 'All.',
        content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Zone' } } } },
      },
    },
  })
  expect(at('paths', '/storagezone', 'post')).toMatchObject({
    'x-effect': 'write',
    security: [],
    responses: { '2XX': { description: 'Answered 2xx.' } },
  })
  expect(at('paths', '/storagezone/{zone}', 'delete')).toMatchObject({
    'x-name': 'delete-storage-zone',
    'x-effect': 'destructive',
    security: [{}, { key: [] }],
    parameters: [{ name: 'zone', in: 'path', required: true, schema: { type: 'integer' } }],
  })
})

test('schemas become OpenAPI 3.1, and only used ones are imported', () => {
  expect(at('components', 'schemas')).toEqual({
    Zone: {
      type: 'object',
      properties: {
        Name: { type: ['string', 'null'], enum: ['a', 'b', null], examples: ['a'] },
        Size: { type: 'number', exclusiveMinimum: 0 },
        Parent: {
          description: 'Above.',
          anyOf: [{ allOf: [{ $ref: '#/components/schemas/Zone' }] }, { type: 'null' }],
        },
        'x-kept': { type: 'string' },
        Kind: {
          oneOf: [{ $ref: '#/components/schemas/A_B' }],
          discriminator: {
            propertyName: 'kind',
            mapping: { a: '#/components/schemas/A_B', b: '#/components/schemas/A_B' },
          },
        },
      },
    },
    A_B: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } },
  })
})

test('the notes list everything that is not imported', () => {
  expect(assumedNotes(imported.contract, 'edge-storage')).toEqual([
    'Effects are assumed (1 read, 1 write, 1 destructive) and permit nothing until they are reviewed: pnpm review-effects edge-storage',
    expect.stringMatching(/^\d+ resources and changes are proposed/),
  ])
  expect(imported.notes).toEqual([
    'The scheme oauth (oauth2) is imported as a bearer token; how to get one is not imported.',
    'The scheme query (a key in a query) is not imported: only headers with a key or a bearer token are.',
    'These have a server of their own, so they are left out: GET /storagezone/{zone}.',
    'These state the credential accesskey as a header; it becomes their credential: GET /storagezone.',
    'These have parameters in a cookie, which are not imported: GET /storagezone.',
    'These have callbacks, which are not imported: POST /storagezone.',
    'These have several tags and belong to the first: POST /storagezone.',
    'The pattern "(?i)a" is not imported: JavaScript cannot read it.',
    'The first of its 2 servers is used.',
    'Its server https://{region}.storage.invalid/v1/ is a template, used with its defaults: https://eu.storage.invalid/v1. To set another one: --server URL.',
  ])
})

test('schemas of two contracts stay apart under their namespaces', () => {
  const { contract } = importContract(parse(foreign), { ...options, namespace: 'storage.' })
  expect(Object.keys(toRecord(valueAt(contract, '/components/schemas')))).toEqual(['storage.Zone', 'storage.A_B'])
})

const fine = { responses: { '200': { description: 'Fine.' } } }
const minimal = {
  openapi: '3.1.0',
  info: { title: 'Zones', version: '1' },
  servers: [{ url: 'https://a.invalid/v1/' }],
}
const named = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } })
const keyed = { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Key' } } } }
const elsewhere = { servers: [{ url: 'https://b.invalid' }] }
const requestBody = { content: { 'application/json': { schema: { type: 'object' } } } }

test.each<[string, Json, Partial<ImportOptions>, Json, string | undefined]>([
  [
    'the server of a path may repeat that of the contract',
    {
      ...minimal,
      paths: { '/a': { get: fine, servers: [{ url: 'https://a.invalid/v1' }] }, '/b': { get: fine, ...elsewhere } },
    },
    {},
    { '/servers/0/url': 'https://a.invalid/v1', '/paths/~1a/get/x-name': 'get-a', '/paths/~1b': undefined },
    'These have a server of their own, so they are left out: GET /b.',
  ],
  [
    'a contract may state its server for each path',
    {
      ...minimal,
      servers: undefined,
      paths: { '/a': { get: fine, ...elsewhere }, '/b': { get: { ...fine, ...elsewhere } } },
    },
    {},
    { '/servers/0/url': 'https://b.invalid', '/paths/~1b/get/x-name': 'get-b' },
    undefined,
  ],
  [
    'the stated server replaces all servers',
    { ...minimal, paths: { '/a': { get: fine }, '/b': { get: fine, ...elsewhere } } },
    { server: 'https://c.invalid/' },
    { '/servers/0/url': 'https://c.invalid', '/paths/~1b/get/x-name': 'get-b' },
    'These have a server of their own, which --server replaces: GET /b.',
  ],
  [
    'the second operation with an operation id loses it',
    { ...minimal, paths: { '/a': { put: { ...fine, operationId: 'x' }, patch: { ...fine, operationId: 'x' } } } },
    {},
    { '/paths/~1a/put/operationId': 'x', '/paths/~1a/patch/operationId': undefined },
    'These lose their operationId, which another operation has: PATCH /a.',
  ],
  [
    'a declared credential that no operation requires is assumed',
    { ...minimal, ...keyed, paths: { '/a': { get: fine } } },
    {},
    { '/x-assumed': ['security'], '/paths/~1a/get/security': [{ key: [] }] },
    'It declares key, but no operation requires it. It is assumed for all operations; to decide: --credential key, or --credential none.',
  ],
  [
    'a chosen credential is not assumed',
    { ...minimal, ...keyed, paths: { '/a': { get: fine }, '/b': { get: { ...fine, security: [] } } } },
    { credential: 'key' },
    { '/x-assumed': undefined, '/paths/~1a/get/security': [{ key: [] }], '/paths/~1b/get/security': [] },
    undefined,
  ],
  [
    'no credential is required if none is chosen',
    { ...minimal, ...keyed, paths: { '/a': { get: fine } } },
    { credential: 'none' },
    { '/x-assumed': undefined, '/paths/~1a/get/security': [] },
    undefined,
  ],
  [
    'a credential that one operation requires is not assumed for the others',
    { ...minimal, ...keyed, paths: { '/a': { get: { ...fine, security: [{ key: [] }] } }, '/b': { get: fine } } },
    {},
    { '/x-assumed': undefined, '/paths/~1b/get/security': [] },
    undefined,
  ],
  [
    'path parameters have the order of the path',
    {
      ...minimal,
      paths: {
        '/{zone}/lists/{id}': {
          parameters: [named('id'), { name: 'q', in: 'query', schema: {} }, named('zone')],
          get: fine,
        },
      },
    },
    {},
    Object.fromEntries(
      ['zone', 'id', 'q'].map((name, index) => [`/paths/~1{zone}~1lists~1{id}/get/parameters/${index}/name`, name]),
    ),
    undefined,
  ],
  [
    'schemas that forbid their own fields are named',
    {
      ...minimal,
      paths: {
        '/a': {
          get: {
            responses: {
              '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Closed' } } } },
            },
          },
        },
      },
      components: {
        schemas: {
          Base: { properties: { status: {} } },
          Closed: {
            allOf: [{ $ref: '#/components/schemas/Base' }, { additionalProperties: false, properties: { data: {} } }],
          },
        },
      },
    },
    {},
    { '/components/schemas/Base/properties/status': {} },
    'These schemas combine parts by allOf, and a part forbids the fields of the others (additionalProperties: false), so a response with all fields breaks them: Closed.',
  ],
  [
    'a GET request has no body',
    { ...minimal, paths: { '/a': { get: { ...fine, requestBody }, delete: { ...fine, requestBody } } } },
    {},
    {
      '/paths/~1a/get/requestBody': undefined,
      '/paths/~1a/delete/requestBody/content/application~1json/schema': { type: 'object' },
    },
    'These are GET or HEAD requests with a body, which is not imported: GET /a.',
  ],
  [
    'a path item may be a reference',
    {
      ...minimal,
      paths: { '/a': { $ref: '#/components/pathItems/A' } },
      components: { pathItems: { A: { get: fine } } },
    },
    {},
    { '/paths/~1a/get/x-name': 'get-a' },
    undefined,
  ],
])('%s', (_what, contract, more, places, note) => {
  const result = importContract(contract, { ...options, ...more })
  expect(Object.fromEntries(Object.keys(places).map((place) => [place, lookUp(result.contract, `#${place}`)]))).toEqual(
    places,
  )
  expect(result.notes).toEqual(note === undefined ? [] : [note])
})

test('an unknown credential is refused', () => {
  const contract = { ...minimal, ...keyed, paths: { '/a': { get: fine } } }
  const convert = () => importContract(contract, { ...options, credential: 'token' })
  expect(convert).toThrow('it has no credential "token": expected key or none')
})
