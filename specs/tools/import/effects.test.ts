import { expect, test } from 'vitest'
import { effectOf } from './effects.ts'
import type { ForeignMethod } from './operations.ts'

const content = { '200': { description: '', content: { 'application/json': {} } } }
const none = { '200': { description: '' }, '404': { description: '', content: { 'application/json': {} } } }

test.each<[ForeignMethod, string, string, object, string]>([
  ['get', '/zones', 'List zones', content, 'read'],
  ['get', '/zones/{id}', '', { '2XX': content['200'] }, 'read'],
  ['get', '/zones/resets', 'List resets', content, 'read'],
  ['get', '/requests', 'List purge requests', content, 'read'],
  ['get', '/zones/{id}/loadFreeCertificate', 'Load a certificate', none, 'write'],
  ['get', '/zones/{id}/purge', '', content, 'destructive'],
  ['get', '/zones/{id}', 'Reset the zone', content, 'destructive'],
  ['get', '/zones', '', {}, 'write'],
  ['head', '/zones', '', none, 'read'],
  ['post', '/zones', 'Add a zone', content, 'write'],
  ['post', '/user/closeaccount', 'Close the account', content, 'destructive'],
  ['post', '/zones/{id}/purgeCache', '', none, 'destructive'],
  ['post', '/zones/{id}/resetSecurityKey', '', none, 'destructive'],
  ['put', '/zones/{id}/hostnames', 'Remove hostnames', none, 'destructive'],
  ['patch', '/keys/{id}', 'Regenerate a key', none, 'destructive'],
  ['delete', '/zones/{id}', 'Anything', none, 'destructive'],
])('%s %s (%s) has the right assumed effect', (method, path, summary, responses, effect) => {
  const operation = { path, item: {}, method, operation: { summary } }
  expect(effectOf(operation, responses as never)).toBe(effect)
})

test('a name in the operation id also counts', () => {
  const operation = {
    path: '/x',
    item: {},
    method: 'post' as const,
    operation: { operationId: 'KeysPublic_RevokeAll' },
  }
  expect(effectOf(operation, content)).toBe('destructive')
})
