import { expect, test } from 'vitest'
import { effectOf } from './effects.ts'
import type { Json } from './json.ts'
import type { ForeignMethod } from './operations.ts'

const content = { '200': { description: '', content: { 'application/json': {} } } }
const none = { '200': { description: '' }, '404': { description: '', content: { 'application/json': {} } } }

interface Row {
  readonly method: ForeignMethod
  readonly path: string
  readonly summary?: string
  readonly responses: Json
  readonly effect: string
}

test.each<Row>([
  { method: 'get', path: '/zones', summary: 'List zones', responses: content, effect: 'read' },
  { method: 'get', path: '/zones/{id}', responses: { '2XX': content['200'] }, effect: 'read' },
  { method: 'get', path: '/zones/resets', summary: 'List resets', responses: content, effect: 'read' },
  { method: 'get', path: '/requests', summary: 'List purge requests', responses: content, effect: 'read' },
  {
    method: 'get',
    path: '/zones/{id}/loadFreeCertificate',
    summary: 'Load a certificate',
    responses: none,
    effect: 'write',
  },
  { method: 'get', path: '/zones/{id}/purge', responses: content, effect: 'destructive' },
  { method: 'get', path: '/zones/{id}', summary: 'Reset the zone', responses: content, effect: 'destructive' },
  { method: 'get', path: '/zones', responses: {}, effect: 'write' },
  { method: 'head', path: '/zones', responses: none, effect: 'read' },
  { method: 'post', path: '/zones', summary: 'Add a zone', responses: content, effect: 'write' },
  {
    method: 'post',
    path: '/user/closeaccount',
    summary: 'Close the account',
    responses: content,
    effect: 'destructive',
  },
  { method: 'post', path: '/zones/{id}/purgeCache', responses: none, effect: 'destructive' },
  { method: 'post', path: '/zones/{id}/resetSecurityKey', responses: none, effect: 'destructive' },
  { method: 'put', path: '/zones/{id}/hostnames', summary: 'Remove hostnames', responses: none, effect: 'destructive' },
  { method: 'patch', path: '/keys/{id}', summary: 'Regenerate a key', responses: none, effect: 'destructive' },
  { method: 'delete', path: '/zones/{id}', summary: 'Anything', responses: none, effect: 'destructive' },
])(
  '$method $path with the summary $summary is assumed to be $effect',
  ({ method, path, summary, responses, effect }) => {
    const operation = { path, item: {}, method, operation: { summary } }
    expect(effectOf(operation, responses)).toBe(effect)
  },
)

test('a name in the operation id also counts', () => {
  const operation = {
    path: '/x',
    item: {},
    method: 'post' as const,
    operation: { operationId: 'KeysPublic_RevokeAll' },
  }
  expect(effectOf(operation, content)).toBe('destructive')
})
