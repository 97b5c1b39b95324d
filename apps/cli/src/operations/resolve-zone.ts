import type { Operation } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { isRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import { int64 } from '../commands/program/value-type.ts'
import type { Zone } from '../target/zone-cache.ts'
import { UsageError } from '../terminal/command-error.ts'
import type { CommandContext } from '../terminal/context.ts'

/** Whether a path parameter is the id of a pull zone. */
export function isZone({ path }: Pick<Operation, 'path'>, parameter: string): boolean {
  return parameter === 'pullZoneId' || path.startsWith(`/pullzone/{${parameter}}`)
}

/** Maximum age of a cached name, in milliseconds. An older name may belong to another zone by now. */
const maxAgeMs = 600_000

/**
 * Finds the id of a pull zone by its name: in the cache, or else with the list operation of the contract.
 *
 * @param zone an id, which is returned as it is, or a name
 * @throws UsageError if no zone has the name
 */
export async function resolveZone(context: CommandContext, zone: string): Promise<number | bigint> {
  const id = int64.parse(zone, context.now())
  if (id !== undefined) return id
  const { accountOf, addZones, readZones } = await import('../target/zone-cache.ts')
  const account = accountOf(await context.platform.target())
  const now = context.now().getTime()
  const isMatch = ({ name }: Zone) => name.toLowerCase() === zone.toLowerCase()
  const known = (await readZones(context.env, account, now - maxAgeMs)).find(isMatch)
  if (known) return known.id
  const zones = await listZones(context, zone)
  await addZones(context.env, account, zones, now)
  const match = zones.find(isMatch)
  if (match) return match.id
  const near =
    zones.length > 0 ? `expected ${zones.map(({ name }) => terminalText(name)).join(', ')}` : 'no zone has this name'
  throw new UsageError(`Unknown pull zone ${JSON.stringify(zone)}: ${near}.`)
}

async function listZones(context: CommandContext, search: string): Promise<readonly Zone[]> {
  const { contracts } = await import('@cdn/api/contract')
  const { isNamedZone } = await import('../target/zone-cache.ts')
  const { send } = await import('./send.ts')
  const operation = defined(
    contracts.management.operations.find(({ method, path }) => method === 'get' && path === '/pullzone'),
  )
  const { data } = await send(context, operation, { path: {}, query: { search }, headers: {} }, 'json')
  const items = isRecord(data) ? data['Items'] : data
  const zones = (Array.isArray(items) ? items : []).map((item) => ({ id: item?.Id, name: item?.Name }))
  return zones.filter(isNamedZone)
}
