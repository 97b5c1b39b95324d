import { expect, test } from 'vitest'
import { camelCase, kebabCase } from './letter-case.ts'

test.each([
  ['AllowedReferrers', 'allowed-referrers'],
  ['API Keys', 'api-keys'],
  ['AuditLog', 'audit-log'],
  ['DNSZoneRecord', 'dns-zone-record'],
  ['repos/list_for-org', 'repos-list-for-org'],
  [' Stream (v2) ', 'stream-v2'],
  ['DDoS', 'ddos'],
  ['DDoSProtection', 'ddos-protection'],
  ['listIPs', 'list-ips'],
  ['OEmbed', 'oembed'],
  ['getAPlan', 'get-a-plan'],
])('%s is %s', (name, kebab) => {
  expect(kebabCase(name)).toBe(kebab)
})

test('camelCase', () => {
  expect(['edge-storage', 'stream', 'v2-logs-2'].map(camelCase)).toEqual(['edgeStorage', 'stream', 'v2Logs2'])
})
