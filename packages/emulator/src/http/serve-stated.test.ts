import { isStated, type OpenApi, parseContract } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { describe, expect, test } from 'vitest'
import { start } from '../../tests/support/start.ts'
import { serveStated } from './serve-stated.ts'

const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } })
const operation = (name: string, parts: object) => ({ tags: ['A'], 'x-name': name, 'x-effect': 'write', ...parts })
const record = {
  type: 'object',
  required: ['Id', 'Name', 'Kind', 'Created', 'Tags'],
  properties: {
    Id: { type: 'integer', format: 'int64' },
    Name: { type: 'string', minLength: 1 },
    Kind: { enum: ['A', 'B'] },
    Note: { type: ['string', 'null'] },
    Created: { type: 'string', format: 'date-time' },
    Tags: { type: ['array', 'null'], items: { type: 'string' } },
  },
}
const page = {
  properties: { items: { type: 'array', items: record }, currentPage: {}, totalItems: {}, hasMoreItems: {} },
}
const body = json({ properties: { Name: {}, Kind: {}, Note: {} } })
const api = {
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'https://test.invalid' }],
  tags: [{ name: 'A' }],
  components: {},
  paths: {
    '/zone/{zone}/record': {
      get: operation('list', { responses: { 200: json(page) } }),
      post: operation('create', { 'x-change': 'create', requestBody: body, responses: { 201: json(record), 404: {} } }),
    },
    '/zone/{id}': {
      'x-resource': { name: 'zone', id: 'Id' },
      delete: operation('delete-zone', { 'x-change': 'delete', responses: { 204: {} } }),
    },
    '/zone/{zone}/record/{id}': {
      'x-resource': { name: 'zone-record', id: 'Id' },
      get: operation('read', { responses: { 200: json(record), 404: json({}) } }),
      put: operation('replace', {
        'x-change': 'replace',
        requestBody: body,
        responses: { 200: json({ properties: { Name: {}, Checked: { type: 'boolean' } } }) },
      }),
      patch: operation('change', { 'x-change': 'merge', requestBody: body, responses: { 204: {} } }),
      delete: operation('delete', { 'x-change': 'delete', responses: { 204: {}, 404: {} } }),
    },
    '/zone/{zone}/record/{id}/tag': {
      post: operation('tag', {
        'x-change': { add: 'Tag', to: 'Tags' },
        requestBody: json({ properties: { Tag: {} } }),
        responses: { 204: {}, 400: json({}) },
      }),
    },
  },
} as unknown as OpenApi // only the parts that are read here
const { operations } = parseContract('management', api, api)

async function serve() {
  const { emulator } = await start()
  emulator.state.resources.all = { '/zone': [{ Id: 1 }] }
  // Safe: an emulator has the parts of the context that a stated operation uses.
  const context = emulator as unknown as Parameters<typeof serveStated>[1]['context']
  return (name: string, parameters: Record<string, string | number>, sent?: unknown) => {
    const stated = assertDefined(operations.filter(isStated).find((each) => each.name === name))
    const response = serveStated(stated, {
      operation: stated,
      context,
      parameters: { zone: 1, ...parameters },
      body: sent,
      now: 0,
    })
    return [response.status, response.body === null ? null : JSON.parse(String(response.body))]
  }
}

describe('an operation whose effect the contract states', () => {
  test('creates an item with an id and plain values, lists, reads, changes, replaces and deletes it', async () => {
    const ask = await serve()
    const created = { Id: 10001, Name: 'a', Kind: 'A', Note: null, Created: expect.stringMatching(/Z$/), Tags: [] }
    expect(ask('create', {}, { Name: 'a', Unknown: 1, Id: 7 })).toEqual([201, created])
    expect(ask('create', {}, { Name: 'b', Kind: 'B' })).toMatchObject([201, { Id: 10002, Kind: 'B' }])
    expect(ask('change', { id: 10001 }, { Note: 'n' })).toEqual([204, null])
    expect(ask('read', { id: 10001 })).toEqual([200, { ...created, Note: 'n' }])
    expect(ask('tag', { id: 10001 }, { Tag: 't' })).toEqual([204, null])
    expect(ask('replace', { id: 10001 }, { Name: 'c' })).toEqual([200, { Name: 'c', Checked: false }])
    expect(ask('read', { id: 10001 })).toEqual([200, { ...created, Name: 'c', Tags: ['t'] }])
    expect(ask('list', { page: 2, perPage: 1 })).toMatchObject([
      200,
      { items: [{ Id: 10002 }], currentPage: 2, totalItems: 2, hasMoreItems: false },
    ])
    expect(ask('list', { search: 'C' })).toMatchObject([200, { items: [{ Id: 10001 }] }])
    expect(ask('delete', { id: 10001 })).toEqual([204, null])
    for (const name of ['read', 'delete', 'change']) expect(ask(name, { id: 10001 })[0]).toBe(404)
  })

  test('has no effect on an absent item or its collections, and a deletion includes the collections of the item', async () => {
    const ask = await serve()
    expect(ask('create', { zone: 2 }, { Name: 'a' })[0]).toBe(404)
    expect(ask('list', { zone: 2 })[0]).toBe(404)
    ask('create', {}, { Name: 'a' })
    expect(ask('delete-zone', { id: 1 })[0]).toBe(204)
    expect(ask('read', { id: 10001 })[0]).toBe(404)
  })
})
