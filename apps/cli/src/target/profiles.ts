/** Profiles: addresses and credentials under a name, in a file that only its owner can read. */
import { join } from 'node:path'
import type { Env } from '@cdn/kit/env'
import { plainUrl } from '@cdn/kit/http-url'
import { isRecord } from '@cdn/kit/record'
import { UsageError } from '../terminal/command-error.ts'
import { changeUserFile, readUserFile, userFolder } from './user-file.ts'

/** Addresses and credentials. The names are those of the environment variables, such as `CDN_MANAGEMENT_URL`, `CDN_ACCESS_KEY`. */
export type Settings = Readonly<Record<string, string | undefined>>

export interface Profiles {
  /** The profile that `cdn profiles use` chose last, or the first one that was saved; `default` if it was removed. */
  readonly current: string
  readonly profiles: Readonly<Record<string, Settings>>
}

/** The profile that is used if none is chosen. */
export const defaultProfile = 'default'

/** The path of the file that holds the profiles. */
export function profileFile(env: Env): string {
  return join(userFolder(env, 'config'), 'profiles.json')
}

/**
 * Reads the profiles. There are none if the file does not exist.
 *
 * @param warn called with a sentence if others can read or replace the file
 * @throws UsageError for invalid content, CommandError if the file cannot be read
 */
export async function readProfiles(env: Env, warn?: (sentence: string) => void): Promise<Profiles> {
  const file = profileFile(env)
  return parseProfiles(readUserFile(file, warn), file)
}

/** @throws UsageError for invalid content, CommandError if the file cannot be read or written; it is then unchanged */
export function changeProfiles(env: Env, change: (known: Profiles) => Profiles): Promise<void> {
  const file = profileFile(env)
  return changeUserFile(file, (text) => `${JSON.stringify(change(parseProfiles(text, file)), undefined, 2)}\n`)
}

/** @throws UsageError for an unknown profile */
export function findProfile({ profiles }: Profiles, name: string): Settings {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const known = Object.keys(profiles).join(', ')
  const advice =
    known === '' ? `no profile is saved. To save one: cdn auth login --profile ${name}` : `expected ${known}`
  throw new UsageError(`Unknown profile ${JSON.stringify(name)}: ${advice}.`)
}

/** @throws UsageError for an invalid name */
export function checkProfileName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name) && name !== '__proto__') return name
  throw new UsageError(
    `The name of a profile must be 1 to 64 letters, digits, dots, hyphens and underscores, not ${JSON.stringify(name)}`,
  )
}

/**
 * Checks an address before a credential is stored for it or sent to it.
 *
 * @param where name of the setting, for the message; the address may contain a password, so the message omits it
 * @throws UsageError for an invalid address
 */
export function checkAddress(address: string, where: string): URL {
  const url = plainUrl(address)
  if (url) return url
  throw new UsageError(
    `${where} must be an http or https address without user name, password, query and fragment, such as https://api.example.com`,
  )
}

/**
 * Checks a credential before it is stored or sent.
 *
 * @throws UsageError that does not contain the credential
 */
export function checkCredential(credential: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(credential)) return credential
  throw new UsageError(`${where} must be visible ASCII characters without spaces`)
}

/** Error messages contain the file and the place, but no value, since a value may be a credential. */
function parseProfiles(text: string | undefined, file: string): Profiles {
  if (text === undefined) return { current: defaultProfile, profiles: {} }
  const invalid = (what: string) =>
    new UsageError(`${file} cannot be used: ${what}. Correct it, or remove it and log in again.`)
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {} // the parser's message would quote the text
  if (!isRecord(content)) throw invalid('it is not a JSON object')
  const { current = defaultProfile, profiles } = content
  if (typeof current !== 'string') throw invalid('"current" is not the name of a profile')
  if (!isRecord(profiles)) throw invalid('"profiles" is not an object')
  for (const [name, profile] of Object.entries(profiles)) {
    const label = `the profile ${JSON.stringify(name)}`
    if (!isRecord(profile)) throw invalid(`${label} is not an object`)
    for (const [key, value] of Object.entries(profile)) {
      if (!/^CDN_[A-Z\d_]+$/.test(key)) throw invalid(`${label} has an unknown key ${JSON.stringify(key)}`)
      if (typeof value !== 'string' || value === '') throw invalid(`${key} of ${label} is not text`)
    }
  }
  return { current, profiles: profiles as Profiles['profiles'] } // checked above
}
