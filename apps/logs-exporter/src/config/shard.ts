import { hash } from 'node:crypto'
import { join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Config, Shard } from './config.ts'

/** Parses a shard such as `0/4`; undefined for an invalid text. */
export function parseShard(text: string): Shard | undefined {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number)
  return index !== undefined && of !== undefined && index < of ? { index, of } : undefined
}

/** The configuration of one shard: its zones, and its own folder for the ledger. */
export function configOfShard(config: Config, shard: Shard): Config {
  const zones = config.zones.filter((zone) => isInShard(shard, zone))
  return { ...config, shard, zones, ledger: join(config.ledger, `shard-${shard.index}`) }
}

/** Whether a zone belongs to a shard. */
export function isInShard({ index, of }: Shard, zone: string): boolean {
  return shardOf(zone, of) === index
}

/**
 * The shard of a zone, by rendezvous hashing: each shard is hashed with the zone, and the greatest hash wins. If a shard is added,
 * only the zones that it receives move.
 *
 * @param of number of shards
 */
export function shardOf(zone: string, of: number): number {
  const weights = Array.from({ length: of }, (_, index) => hash('sha256', `${zone}/${index}`))
  return weights.indexOf(assertDefined(weights.toSorted().at(-1)))
}
