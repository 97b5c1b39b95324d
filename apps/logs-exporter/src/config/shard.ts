import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { ExporterConfigurationError } from '../errors.ts'
import type { Config, Shard } from './config.ts'

/**
 * Parses a shard such as `0/4`.
 *
 * @param name where the text was given, for the message
 * @throws ConfigurationError for an invalid shard
 */
export function parseShard(text: string, name: string): Shard {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number)
  if (index === undefined || of === undefined || index >= of)
    throw new ExporterConfigurationError(
      `${name} must be INDEX/COUNT with INDEX from 0 to COUNT - 1, such as 0/4, not ${JSON.stringify(text)}.`,
    )
  return { index, of }
}

/** The configuration of one shard: its zones, and its own folder for the ledger. */
export function ofShard(config: Config, shard: Shard): Config {
  const zones = config.zones.filter((zone) => isOf(shard, zone))
  return { ...config, shard, zones, ledger: join(config.ledger, `shard-${shard.index}`) }
}

/** Whether a zone belongs to a shard. */
export function isOf({ index, of }: Shard, zone: string): boolean {
  return shardOf(zone, of) === index
}

/**
 * The shard of a zone, by rendezvous hashing: each shard is hashed with the zone, and the greatest hash wins. If a shard is added,
 * only the zones that it receives move.
 *
 * @param of number of shards
 */
export function shardOf(zone: string, of: number): number {
  const weights = Array.from({ length: of }, (_, index) =>
    createHash('sha256').update(`${zone}/${index}`).digest('hex'),
  )
  return weights.indexOf(defined(weights.toSorted().at(-1)))
}
