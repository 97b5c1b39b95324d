import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseConfig } from './read-config.ts'
import { configOfShard, shardOf } from './shard.ts'

const text = 'loggingUrl: https://logging.example\nzones: ["1"]\nsink: {type: files, path: logs}'
const parsed = parseConfig(text, 'config.yaml', {})
const zone = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String)

test('each zone belongs to one shard, whatever the other zones are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(zone, { maxLength: 50 }), fc.integer({ min: 1, max: 20 }), (zones, of) => {
      const config = { ...parsed, zones }
      const shares = Array.from({ length: of }, (_, index) => configOfShard(config, { index, of }))
      expect(shares.flatMap((share) => share.zones).toSorted()).toEqual(zones.toSorted())
      expect(new Set(shares.map(({ ledger }) => ledger)).size).toBe(of)
    }),
  )
})

test('an additional shard takes zones from the others, and no other zone moves', () => {
  fc.assert(
    fc.property(zone, fc.integer({ min: 1, max: 30 }), (id, of) => {
      expect([shardOf(id, of), of]).toContain(shardOf(id, of + 1))
    }),
  )
})

test('shards have about the same number of zones', () => {
  const counts = new Map<number, number>()
  for (let id = 1; id <= 4000; id++) counts.set(shardOf(String(id), 4), (counts.get(shardOf(String(id), 4)) ?? 0) + 1)
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120)
})
