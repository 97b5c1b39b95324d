/** Pull zones by name: looked up on the platform, and cached for completion. */

import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { parseJson } from '@cdn/kit/json'
import { isRecord, toRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import { jsonText } from '../output/json.ts'
import type { CommandContext } from '../program/command.ts'
import { int64 } from '../program/value-type.ts'
import { type SettingSources, settingsOf } from '../target/platform.ts'
import { type Env, readUserFile, userFolder, writeUserFile } from '../target/user-file.ts'
import { UsageError } from '../terminal/command-error.ts'

interface Zone {
  readonly id: number | bigint
  readonly name: string
}

/**
 * Finds the id of a pull zone by its name, with the list operation of the contract. Does not use the cache, which may be outdated.
 *
 * @param zone an id, which is returned as a number, or a name in upper or lower case
 * @throws UsageError if no zone has the name; errors of `send`
 */
export async function resolveZone(context: CommandContext, zone: string): Promise<number | bigint> {
  const id = int64.parse(zone)
  if (id !== undefined) return id
  const zones = await listZones(context, zone)
  await addZones(context.env, accountOf(await context.platform.target()), zones)
  const match = zones.find(({ name }) => name.toLowerCase() === zone.toLowerCase())
  if (match) return match.id
  const names = zones.map(({ name }) => terminalText(name)).join(', ')
  throw new UsageError(
    `Unknown pull zone ${JSON.stringify(zone)}: ${names === '' ? 'no zone has this name' : `expected ${names}`}.`,
  )
}

/** Remembers the zones of a list while it is printed, so that a shell can complete them. */
export async function* rememberZones<T>(
  context: CommandContext,
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T, void, void> {
  const zones: Zone[] = []
  for await (const item of items) {
    const { Id: id, Name: name } = toRecord(item)
    const zone = { id, name }
    if (isZone(zone)) zones.push(zone)
    yield item
  }
  await addZones(context.env, accountOf(await context.platform.target()), zones)
}

async function listZones(context: CommandContext, search: string): Promise<readonly Zone[]> {
  const { contracts } = await import('@cdn/api/contract')
  const { send } = await import('./send.ts')
  const operation = defined(
    contracts.management.operations.find(({ method, path }) => method === 'get' && path === '/pullzone'),
  )
  const { data } = await send(context, operation, { path: {}, query: { search }, headers: {} }, 'json')
  const items = isRecord(data) ? data['Items'] : data
  return (Array.isArray(items) ? items : []).map((item) => ({ id: item?.Id, name: item?.Name })).filter(isZone)
}

/** Whether a value of the cache or of the platform has the id and the name of a zone. */
function isZone(value: unknown): value is Zone {
  const { id, name } = toRecord(value)
  // A larger number is not exact, and the client refuses it.
  const isExact = typeof id === 'bigint' ? id === BigInt.asIntN(64, id) : Number.isSafeInteger(id)
  return isExact && typeof name === 'string'
}

/** The cache key of an account: its address and profile. */
export function accountOf(target: SettingSources): string {
  const { address } = settingsOf(target, 'management')
  return `${address?.href ?? 'public'} ${target.profile ?? 'environment'}`
}

const fileOf = (env: Env) => join(userFolder(env, 'cache'), 'zones.json')

/** Reads the cached zones of an account (`accountOf`). */
export async function readZones(env: Env, account: string): Promise<readonly Zone[]> {
  const zones = (await readAll(env))[account]
  return Array.isArray(zones) ? zones.filter(isZone) : []
}

async function readAll(env: Env): Promise<Readonly<Record<string, unknown>>> {
  try {
    return toRecord(parseJson((await readUserFile(fileOf(env))) ?? '{}'))
  } catch {
    return {}
  }
}

/** Adds zones to the cached zones of an account. Does nothing if the cache folder cannot be written. */
export async function addZones(env: Env, account: string, zones: readonly Zone[]): Promise<void> {
  const others = (await readZones(env, account)).filter(({ name }) => !zones.some((zone) => zone.name === name))
  const all = { ...(await readAll(env)), [account]: [...others, ...zones] }
  await writeUserFile(fileOf(env), jsonText(all)).catch(() => {})
}
