import { toRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'
import { withProposals } from './changes.ts'
import { assumedIn, decisionOf } from './review.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const shows = (schema: object) => ({ 'x-effect': 'read', responses: { 200: json(schema) } })
const write = (body?: object) => ({
  'x-effect': 'write',
  'x-assumed': ['x-effect'],
  ...(body && { requestBody: json({ properties: body }) }),
})
const text = { type: 'string' }
const thing = {
  properties: {
    ThingId: { type: 'integer' },
    Tags: { type: 'array', items: text },
    Policies: { type: 'array', items: { properties: { Value: text } } },
    HasLogo: { type: 'boolean' },
  },
}
const thingPath = {
  get: shows({ $ref: '#/components/schemas/Thing' }),
  put: write({ Tags: {} }),
  patch: write({ Tags: {} }),
  delete: write(),
}

/** Proposes for a contract with these paths. Returns the resource and the changes of each path. */
function propose(paths: object) {
  const contract = withProposals({ paths, components: { schemas: { Thing: thing } } })
  const changes = Object.entries(toRecord(contract['paths'])).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(toRecord(item)).flatMap(([key, node]) => {
        const value = key === 'x-resource' ? node : toRecord(node)['x-change']
        return key === 'x-assumed' || value === undefined ? [] : [[key, value]]
      }),
    ),
  ])
  return { contract, changes: Object.fromEntries(changes) }
}

test('proposes what the conventions of REST say, and nothing else', () => {
  const { changes } = propose({
    '/things': { get: shows({ type: 'array', items: thing }), post: write({ Tags: {} }) },
    '/things/{thingId}': thingPath,
    '/things/{id}/addTag': { post: write({ Tag: {} }) },
    '/things/{id}/removePolicy': { delete: write({ Name: {} }) },
    '/things/{id}/addUnknown': { post: write({ Name: {} }) },
    '/things/{id}/addTags': { post: write({ Tag: {}, Other: {} }) },
    '/things/{id}/logo': { put: write(), delete: write() },
    '/things/{id}/purge': { post: write() },
    '/things/{id}/parts': {
      get: shows({ properties: { Items: { type: 'array', items: { properties: { Id: {} } } } } }),
      put: write(),
    },
    '/things/{id}/parts/{part}': { delete: write() },
    '/things/search': { post: shows({ type: 'array', items: thing }) },
    '/fees/{id}/refunds': { get: shows({ type: 'array', items: thing }), post: write({ Tags: {} }) },
    '/fees/{fee}/refunds/{id}': thingPath,
    '/fees-refunds': { get: shows(thing) },
    '/fees/{a}...{b}': thingPath,
    '/account': { get: shows({ properties: { Name: text } }), patch: write({ Name: {} }) },
    '/country': { get: shows({ type: 'array', items: { properties: { IsoCode: text } } }) },
    '/report': {
      get: { ...shows({ properties: { Rows: {} } }), parameters: [{ name: 'day', in: 'query', required: true }] },
    },
    '/words': { get: shows({ type: 'array', items: text }) },
  })
  expect(changes).toEqual({
    '/things': { post: 'create' },
    '/things/{thingId}': {
      'x-resource': { name: 'things', id: 'ThingId' },
      put: 'replace',
      patch: 'merge',
      delete: 'delete',
    },
    '/things/{id}/addTag': { post: { add: 'Tag', to: 'Tags' } },
    '/things/{id}/removePolicy': { delete: { remove: 'Name', from: 'Policies/Value' } },
    '/things/{id}/addUnknown': {},
    '/things/{id}/addTags': {},
    '/things/{id}/logo': { put: { set: { HasLogo: true } }, delete: { set: { HasLogo: false } } },
    '/things/{id}/purge': {},
    '/things/{id}/parts': { put: 'create' },
    '/things/{id}/parts/{part}': { 'x-resource': { name: 'things-parts', id: 'Id' }, delete: 'delete' },
    '/things/search': {},
    '/fees/{id}/refunds': { post: 'create' },
    '/fees/{fee}/refunds/{id}': {
      'x-resource': { name: 'fees-refunds', id: 'ThingId' },
      put: 'replace',
      patch: 'merge',
      delete: 'delete',
    },
    '/fees-refunds': {},
    '/fees/{a}...{b}': {},
    '/account': { 'x-resource': { name: 'account' }, patch: 'merge' },
    '/country': { 'x-resource': { name: 'country', id: 'IsoCode' } },
    '/report': {},
    '/words': {},
  })
})

test('every proposal is assumed until somebody decides about it alone', () => {
  const { contract } = propose({ '/things/{id}': thingPath })
  const assumed = assumedIn(contract)
  expect(assumed.map(({ title, statement }) => `${title} ${statement}`)).toEqual([
    ...['PUT', 'DELETE', 'PATCH'].flatMap((method) =>
      ['x-effect', 'x-change'].map((each) => `${method} /things/{id} ${each}`),
    ),
    '/things/{id} x-resource',
  ])
  const [put] = assumed.filter(({ statement }) => statement === 'x-change')
  const target = "$.paths['/things/{id}'].put"
  const source = 'decision of a reviewer [C]'
  expect(put && decisionOf(put, put.value)).toEqual([
    { target: `${target}['x-assumed'][?(@ == 'x-change')]`, 'x-source': source, remove: true },
    { target: `${target}['x-change']`, 'x-source': source, remove: true },
    { target, 'x-source': source, update: { 'x-change': 'replace' } },
  ])
  expect(put && decisionOf(put, null)).toHaveLength(2)
})
