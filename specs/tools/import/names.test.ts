import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operationNames, type Unnamed } from './names.ts'
import { type ForeignMethod, operationKey } from './operations.ts'

function operation(method: ForeignMethod, path: string, summary: string, area = 'DNS Zone'): Unnamed {
  return { operation: { method, path, item: {}, operation: { summary, operationId: 'DnsZonePublic_Index' } }, area }
}

function names(operations: readonly Unnamed[], kept = new Map<string, string>()): string[] {
  return [...operationNames(operations, kept).values()]
}

test.each<[string, Unnamed, string]>([
  ['a summary', operation('post', '/a', 'Import DNS Records'), 'import-records'],
  ['a name that would only be a verb', operation('get', '/a', 'List DNS Zones'), 'list-dns-zones'],
  ['only a general word', operation('get', '/a', 'Get DNS Zone details'), 'get-dns-zone-details'],
  ['noise', operation('get', '/a', 'Get the public endpoint statistics'), 'get-statistics'],
  ['no summary', operation('get', '/dnszone/{id}/export', ''), 'get-export'],
  ['letters that are not ASCII', operation('get', '/dnszone/{id}/log', '日本語'), 'get-log'],
  [
    'a long sentence',
    operation('get', '/a', 'Get active price for a resource and optionally its estimate'),
    'get-active-price',
  ],
  ['several sentences', operation('post', '/a', 'Trigger a scan. Can use an id.'), 'trigger-scan'],
  ['no words', operation('post', '/{id}', ''), 'post-dns-zone'],
])('%s', (_what, one, name) => {
  expect(names([one])).toEqual([name])
})

test('equal names become distinct, and existing names stay', () => {
  const two = [operation('get', '/zones', 'Add referrer'), operation('get', '/b', 'Add referrer', 'Video')]
  expect(names(two)).toEqual(['add-referrer', 'add-referrer-video'])
  const existing = new Map([
    ['get /b', 'add-referrer'],
    ['get /c', 'add-referrer-dns-zone'],
  ])
  expect(names(two, existing)).toEqual(['get-zones', 'add-referrer'])
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
