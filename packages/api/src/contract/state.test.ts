import { assertDefined } from '@cdn/kit/assert-defined'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OpenApi } from './model.ts'
import { parseContract } from './parse.ts'
import { apply, type Complete, isStated, type ModelRequest, type ModelState } from './state.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const operation = (name: string, parts: object = {}) => ({
  tags: ['A'],
  'x-name': name,
  'x-effect': 'write',
  responses: {},
  ...parts,
})
const zone = {
  properties: {
    Id: {},
    Name: { type: 'string' },
    Logging: { type: 'boolean' },
    Hosts: { type: 'array', items: {}, 'x-shows': 'hosts' },
    Servers: { type: 'array', items: { properties: { Value: {} } } },
    Records: { type: 'array', items: { additionalProperties: false, properties: { Type: { type: 'string' } } } },
    HasLogo: { type: 'boolean' },
  },
}
const host = json({ properties: { Host: { type: 'string' } } })
const body = json({
  properties: { Name: {}, Logging: {}, Records: { type: 'array', items: { properties: { ScriptId: {} } } } },
})
const api = {
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'https://test.invalid' }],
  tags: [{ name: 'A' }],
  components: {},
  paths: {
    '/zone': {
      get: operation('list-zones', { responses: { 200: json({ type: 'array', items: zone }) } }),
      post: operation('create-zone', { 'x-change': 'create', requestBody: body }),
    },
    '/zone/{id}': {
      'x-resource': { name: 'zone', id: 'Id' },
      get: operation('get-zone', { responses: { 200: json(zone) } }),
      put: operation('replace-zone', { 'x-change': 'replace', requestBody: body }),
      patch: operation('change-zone', { 'x-change': 'merge', requestBody: body }),
      delete: operation('delete-zone', { 'x-change': 'delete' }),
    },
    '/zone/{id}/addHost': {
      post: operation('add-host', { 'x-change': { add: 'Host', to: 'hosts' }, requestBody: host }),
    },
    '/zone/{id}/removeHost': {
      post: operation('remove-host', { 'x-change': { remove: 'Host', from: 'Hosts' }, requestBody: host }),
    },
    '/zone/{id}/addServer': {
      post: operation('add-server', { 'x-change': { add: 'Host', to: 'Servers/Value' }, requestBody: host }),
    },
    '/zone/{id}/removeServer': {
      post: operation('remove-server', { 'x-change': { remove: 'Host', from: 'Servers/Value' }, requestBody: host }),
    },
    '/zone/{id}/logo': {
      put: operation('put-logo', { 'x-change': { set: { HasLogo: true } } }),
      delete: operation('delete-logo', { 'x-change': { set: { HasLogo: false } } }),
    },
    '/zone/{zoneId}/records': {
      get: operation('list-records', {
        responses: {
          200: json({ properties: { Items: { type: 'array', items: { properties: { Id: {}, Value: {} } } } } }),
        },
      }),
      put: operation('create-record', { 'x-change': 'create', requestBody: json({ properties: { Value: {} } }) }),
    },
    '/zone/{zone}/records/{record}': {
      'x-resource': { name: 'record', id: 'Id' },
      delete: operation('delete-record', { 'x-change': 'delete' }),
    },
    '/account': {
      'x-resource': { name: 'account' },
      get: operation('get-account', { responses: { 200: json({ properties: { Name: {} } }) } }),
      patch: operation('change-account', { 'x-change': 'merge', requestBody: json({ properties: { Name: {} } }) }),
    },
  },
} as unknown as OpenApi // only the parts that these tests read

const { operations } = parseContract('management', api, api)
const stated = (name: string) => assertDefined(operations.filter(isStated).find((each) => each.name === name))
const one = (state: ModelState, name: string, request: ModelRequest, complete?: Complete) =>
  assertDefined(apply(state, stated(name), request, complete)[0])
const start: ModelState = {
  '/zone': [
    { Id: 7, Name: 'seven', Hosts: ['a'], HasLogo: true, Logging: true },
    { Id: 8n, Name: 'eight', Hosts: null, HasLogo: false },
  ],
  '/zone/7/records': [{ Id: 1, Value: 'x' }],
  '/account': [{ Name: 'me' }],
}

describe('the model', () => {
  test('leaves out fields that an item shows in another form than the body', () => {
    const create = { path: {}, body: { Name: 'new', Records: [{ ScriptId: 1 }] } }
    expect(one({}, 'create-zone', create).item).toEqual({ Name: 'new' })
    const parts = {
      same: { Type: { type: 'string' } },
      closed: { ScriptId: {} },
      other: { Type: { type: ['string', 'null'] } },
    }
    const shown = Object.entries(parts).map(([name, properties]) => {
      const requestBody = json({ properties: { Records: { type: ['array', 'null'], items: { properties } } } })
      const zones = { ...api.paths['/zone'], post: operation(name, { 'x-change': 'create', requestBody }) }
      const changed = { ...api, paths: { ...api.paths, '/zone': zones } } as unknown as OpenApi
      const created = parseContract('management', changed, changed).operations.find((each) => each.name === name)
      return [name, created?.action]
    })
    expect(shown).toMatchObject([
      ['same', { shown: ['Records'] }],
      ['closed', { shown: [] }],
      ['other', { shown: [] }],
    ])
  })

  test.each([
    ['get-zone', { path: { id: '9' } }],
    ['add-host', { path: { id: '0' }, body: { Host: 'a' } }],
    ['list-records', { path: { zoneId: '9' } }],
    ['create-record', { path: { zoneId: '9' }, body: { Value: 'y' } }],
    ['delete-record', { path: { zone: '8', record: '1' } }],
    ['get-zone', { path: { id: '7/records' } }],
  ])('%s of an absent resource has no effect', (name, request) => {
    expect(apply(start, stated(name), request)).toEqual([{ kind: 'not-found', state: start }])
  })

  test('lists, reads, creates, changes, replaces and deletes', () => {
    expect(one(start, 'list-zones', { path: {} }).items).toHaveLength(2)
    expect(one(start, 'get-zone', { path: { id: '8' } }).item).toMatchObject({ Name: 'eight' })
    const fields = { Name: 'nine', Unknown: 1, Id: 5 }
    const created = one(start, 'create-zone', { path: {}, body: fields }, (item) => ({ Id: 9, ...item }))
    expect(created.state['/zone']?.[2]).toEqual({ Id: 9, Name: 'nine' })
    const odd = one(start, 'create-zone', { path: {}, body: fields }, (item) => ({ Id: 'a/b ', ...item })).state
    const record = one(odd, 'create-record', { path: { zoneId: 'a/b ' }, body: { Value: 'y' } })
    expect(record.state['/zone/a%2Fb%20/records']).toEqual([{ Value: 'y' }])
    expect(one(record.state, 'delete-zone', { path: { id: 'a/b ' } }).state).toEqual(start)
    const changed = one(start, 'change-zone', { path: { id: 7 }, body: { Name: 'new' } })
    expect(changed.item).toEqual({ Id: 7, Name: 'new', Hosts: ['a'], HasLogo: true, Logging: true })
    const ignored = one(start, 'change-zone', { path: { id: 7 }, body: { Name: null } })
    expect(ignored.item).toMatchObject({ Name: 'seven' })
    const replaced = one(start, 'replace-zone', { path: { id: 7 }, body: { Name: 'new' } })
    expect(replaced.item).toEqual({ Id: 7, Name: 'new', Hosts: ['a'], HasLogo: true })
    const deleted = one(start, 'delete-zone', { path: { id: '7' } }).state
    expect([deleted['/zone']?.length, deleted['/zone/7/records']]).toEqual([1, undefined])
    expect(one(start, 'change-account', { path: {}, body: { Name: 'you' } }).state['/account']).toEqual([
      { Name: 'you' },
    ])
  })

  test('adds objects to a list, and removes them by the field with the value', () => {
    const request = { path: { id: 7 }, body: { Host: 'ns' } }
    const complete: Complete = (fields, { schema }) => ({ ...fields, Port: Object.keys(schema).length })
    const added = one(start, 'add-server', request, complete)
    expect(added.item?.['Servers']).toEqual([{ Value: 'ns', Port: 1 }])
    expect(apply(added.state, stated('add-server'), request).map(({ kind }) => kind)).toEqual([
      'done',
      'already-there',
      'done',
    ])
    expect(one(added.state, 'remove-server', request).item?.['Servers']).toEqual([])
  })

  test('permits more than one outcome where the contract leaves the effect open', () => {
    const kinds = (name: string, request: ModelRequest) =>
      apply(start, stated(name), request).map(({ kind, item }) => [kind, item?.['Hosts']])
    expect(kinds('add-host', { path: { id: 7 }, body: { Host: 'a' } })).toEqual([
      ['done', ['a']],
      ['already-there', undefined],
      ['done', ['a', 'a']],
    ])
    expect(kinds('remove-host', { path: { id: 8 }, body: { Host: 'a' } })).toEqual([
      ['done', null],
      ['not-there', undefined],
    ])
    expect(apply(start, stated('delete-logo'), { path: { id: 8 } }).map(({ kind }) => kind)).toEqual([
      'done',
      'not-there',
    ])
    expect(apply(start, stated('put-logo'), { path: { id: 7 } }).map(({ kind }) => kind)).toEqual(['done'])
  })
})

test('a change leaves the other items as they are, and an added value can be removed', () => {
  const calls = fc.record({
    name: fc.constantFrom('add-host', 'remove-host', 'put-logo', 'delete-logo', 'change-zone'),
    path: fc.record({ id: fc.constantFrom(7, 8) }),
    body: fc.record({ Host: fc.constantFrom('a', 'b', '__proto__'), Name: fc.string() }),
  })
  const hosts = (state: ModelState, id: number) => state['/zone']?.find((each) => Number(each['Id']) === id)?.['Hosts']
  fc.assert(
    fc.property(fc.array(calls, { minLength: 1, maxLength: 6 }), (all) => {
      const [last, ...earlier] = [assertDefined(all[0]), ...all.slice(1)]
      const before = earlier.reduce((state, { name, ...request }) => one(state, name, request).state, start)
      const after = one(before, last.name, last).state
      const others = (state: ModelState) => state['/zone']?.filter((each) => Number(each['Id']) !== last.path.id)
      expect(others(after)).toEqual(others(before))
      const added = one(one(before, 'remove-host', last).state, 'add-host', last).state
      expect(hosts(added, last.path.id)).toContain(last.body.Host)
      expect(hosts(one(added, 'remove-host', last).state, last.path.id)).not.toContain(last.body.Host)
    }),
    { numRuns: propertyRuns(300) },
  )
})
