/** Ids and names of resources, cached so that a shell completes them without a request. */
import { join } from 'node:path'
import type { Env } from '@cdn/kit/env'
import { parseJson } from '@cdn/kit/json'
import { toRecord } from '@cdn/kit/record'
import { jsonText } from '../output/json.ts'
import { type SettingSources, settingsOf } from './platform.ts'
import { readUserFile, userFolder, writeUserFile } from './user-file.ts'

export interface NamedItem {
  readonly id: number | bigint
  readonly name: string
}

export const toNamedItem = (item: unknown) => ({ id: toRecord(item)['Id'], name: toRecord(item)['Name'] })

/** Whether a value of the cache or of the platform has an id and a name. */
export function isNamedItem(value: unknown): value is NamedItem {
  const { id, name } = toRecord(value)
  // A larger number is not exact, and the client refuses it.
  const isExact = typeof id === 'bigint' ? id === BigInt.asIntN(64, id) : Number.isSafeInteger(id)
  return isExact && typeof name === 'string'
}

/** The cache key of a list of an account: its address, profile and path. */
export function cacheKeyOf(target: SettingSources, path: string): string {
  const { address } = settingsOf(target, 'management')
  return `${address?.href ?? 'public'} ${target.profile ?? 'environment'} ${path}`
}

const fileOf = (env: Env) => join(userFolder(env, 'cache'), 'names.json')

/**
 * Returns the cached names of one list.
 *
 * @param key of the list (`cacheKeyOf`)
 */
export async function readNames(env: Env, key: string): Promise<readonly NamedItem[]> {
  const known = (await readAll(env))[key]
  return Array.isArray(known) ? known.filter(isNamedItem) : []
}

async function readAll(env: Env): Promise<Readonly<Record<string, unknown>>> {
  try {
    return toRecord(parseJson(readUserFile(fileOf(env)) ?? '{}'))
  } catch {
    return {}
  }
}

/** Adds names to the cached ones of a list. Does nothing if the cache folder cannot be written. */
export async function addNames(env: Env, key: string, added: readonly NamedItem[]): Promise<void> {
  const others = (await readNames(env, key)).filter(({ name }) => !added.some((each) => each.name === name))
  const all = { ...(await readAll(env)), [key]: [...others, ...added] }
  await writeUserFile(fileOf(env), jsonText(all)).catch(() => {})
}
