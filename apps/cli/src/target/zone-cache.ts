import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseJson } from '@cdn/kit/json'
import { isRecord } from '@cdn/kit/record'
import { jsonText } from '../output/json.ts'
import { type Env, userFolder } from './profiles.ts'
import { accountVariables, type SettingSources, settingsOf } from './target.ts'

export interface Zone {
  readonly id: number | bigint
  readonly name: string
}

interface Entry {
  /** When the zones were read, in milliseconds since 1970. */
  readonly at: number
  readonly zones: readonly Zone[]
}

/** The cache key of an account: its address and profile. */
export function accountOf(target: SettingSources): string {
  const { address } = settingsOf(target, 'management', accountVariables)
  return `${address?.href ?? 'public'} ${target.profile ?? 'environment'}`
}

function fileOf(env: Env): string {
  return join(userFolder(env, 'cache'), 'zones.json')
}

async function readAll(env: Env): Promise<Record<string, Entry>> {
  try {
    const all = parseJson(await readFile(fileOf(env), 'utf8'))
    const entries = isRecord(all) ? Object.entries(all) : []
    return Object.fromEntries(entries.flatMap(([account, entry]) => (isEntry(entry) ? [[account, entry]] : [])))
  } catch {
    return {}
  }
}

function isEntry(value: unknown): value is Entry {
  return (
    isRecord(value) &&
    typeof value['at'] === 'number' &&
    Array.isArray(value['zones']) &&
    value['zones'].every(isNamedZone)
  )
}

/** Whether a value of the cache or of the platform has the id and the name of a zone. */
export function isNamedZone(value: unknown): value is Zone {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false
  const { id } = value
  // A larger number is not exact, and the client refuses it.
  return typeof id === 'bigint' ? id === BigInt.asIntN(64, id) : Number.isSafeInteger(id)
}

/**
 * Reads the cached zones of an account.
 *
 * @param account from `accountOf`
 * @param oldest ignores entries that were read before this time, in milliseconds since 1970
 */
export async function readZones(env: Env, account: string, oldest = 0): Promise<readonly Zone[]> {
  const entries = await readAll(env)
  const entry = Object.hasOwn(entries, account) ? entries[account] : undefined
  return entry && entry.at >= oldest ? entry.zones : []
}

/** Adds zones to the cached zones of an account. Does nothing if the cache folder cannot be written. */
export async function addZones(env: Env, account: string, zones: readonly Zone[], at: number): Promise<void> {
  const all = await readAll(env)
  const others = (all[account]?.zones ?? []).filter(({ name }) => !zones.some((zone) => zone.name === name))
  const file = fileOf(env)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, jsonText({ ...all, [account]: { at, zones: [...others, ...zones] } }), { mode: 0o600 })
  } catch {
    // Without the cache, the next command asks the platform again.
  }
}
