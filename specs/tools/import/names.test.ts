import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operationNames, type Unnamed } from './names.ts'
import { type ForeignMethod, operationKey } from './operations.ts'

function operation(method: ForeignMethod, path: string, summary: string, area = 'DNS Zone'): Unnamed {
  return { method, path, item: {}, operation: { summary, operationId: 'DnsZonePublic_Index' }, area }
}

function names(operations: readonly Unnamed[], kept = new Map<string, string>()): string[] {
  return [...operationNames(operations, kept).values()]
}

test.each([
  ['Import DNS Records', 'DNS Zone', 'import-dns-records'],
  ['Buy museum tickets', 'Tickets', 'buy-museum-tickets'],
  ['Delete special event', 'Events', 'delete-special-event'],
  ['Get User Limits', 'Limits', 'get-user-limits'],
  ['List application endpoints', 'Endpoints', 'list-application-endpoints'],
  ['Delete application endpoint', 'Endpoints', 'delete-application-endpoint'],
  ['Get Container Template', 'Containers', 'get-container-template'],
  ['Get the specified Custom Access List associated with a Shield Zone', 'Access Lists', 'get-custom-access-list'],
  ['Create a new Custom Access List associated with a Shield Zone', 'Access Lists', 'create-custom-access-list'],
  [
    'Set or clear the action applied to every bot in a category for this Shield Zone.',
    'Bot Categorization',
    'set-or-clear-action-applied-to-every-bot',
  ],
  ['Get the current Promotion State for your Account', 'Promotions', 'get-current-promotion-state-for-account'],
  ['List of all DDoS Enum Mappings', 'DDoS', 'list-of-all-ddos-enum-mappings'],
  ['Update user resource.', 'user', 'update-user-resource'],
  ['Creates list of users with given input array.', 'user', 'creates-list-of-users-with-input-array'],
  ['Your current Bot Detection configuration', 'Bot Detection', 'get-current-bot-detection-configuration'],
  ['Trigger a scan. Can use an id.', 'Scans', 'trigger-scan'],
  ['Get active price for a resource and optionally its estimate', 'Price', 'get-active-price-for-resource'],
  ['Update your API Guardian Endpoint configuration', 'API Guardian', 'update-guardian-endpoint-configuration'],
])('%s (%s) is %s', (summary, area, name) => {
  expect(names([operation('get', '/a', summary, area)])).toEqual([name])
})

test.each<[string, ForeignMethod, string, string]>([
  ['/dnszone/{id}/export', 'get', '', 'get-dnszone-export'],
  ['/v1/Accounts/{Sid}/Calls.json', 'get', '', 'get-accounts-calls'],
  ['/dnszone/{id}/log', 'get', '日本語', 'get-dnszone-log'],
  ['/{id}', 'post', '', 'post-dns-zone'],
])('%s without a summary', (path, method, summary, name) => {
  expect(names([operation(method, path, summary)])).toEqual([name])
})

test('equal names become distinct, and existing names stay', () => {
  const two = [operation('get', '/zones', 'Add referrer'), operation('get', '/b', 'Add referrer', 'Video')]
  expect(names(two)).toEqual(['add-referrer', 'get-b'])
  const existing = new Map([
    ['get /b', 'add-referrer'],
    ['get /c', 'get-b'],
  ])
  expect(names(two, existing)).toEqual(['get-zones', 'add-referrer'])
  expect(names([operation('get', '/zones', ''), operation('get', '/zones/{zoneId}', '')])).toEqual([
    'get-zones',
    'get-zones-by-zone-id',
  ])
  const cancel = 'Cancel an authorised payment'
  const cancels = [operation('post', '/cancels', cancel), operation('post', '/payments/{reference}/cancels', cancel)]
  expect(names(cancels)).toEqual(['cancel-authorised-payment', 'post-payments-cancels'])
})

test('every name is kebab-case, unique, and has at most 40 characters', () => {
  const word = fc.constantFrom(
    'list',
    'get',
    'zone',
    'Zones',
    'the',
    'of',
    'Ünicode',
    'X-Ray',
    '/',
    '.',
    'statisticsOverTime',
    '日本',
  )
  const one = fc.record({
    method: fc.constantFrom<ForeignMethod>('get', 'post', 'delete'),
    path: fc
      .array(fc.constantFrom('a', 'zones', '{id}', 'setForceSSL'), { maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`),
    summary: fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    area: fc.constantFrom('Zone', 'Storage Zones', '日本'),
  })
  fc.assert(
    fc.property(fc.uniqueArray(one, { selector: (each) => operationKey(each), maxLength: 30 }), (all) => {
      const given = names(all.map(({ method, path, summary, area }) => operation(method, path, summary, area)))
      expect(given).toHaveLength(all.length)
      expect(new Set(given).size).toBe(all.length)
      for (const name of given) {
        expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
        expect(name.length).toBeLessThanOrEqual(40)
      }
    }),
  )
})
