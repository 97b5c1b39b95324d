/** Profiles: addresses and credentials under a name, in a file that only its owner can read. */

import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRecord } from '@cdn/kit/record'
import { writeWholeFile } from '../output/whole-file.ts'
import { CommandError, systemCode, UsageError } from '../terminal/command-error.ts'

/** Addresses and credentials. The names are those of the environment variables, such as `CDN_MANAGEMENT_URL`, `CDN_ACCESS_KEY`. */
export type Settings = Readonly<Record<string, string | undefined>>

export type Profiles = Readonly<Record<string, Settings>>

/** The profile that is used if none is chosen. */
export const defaultProfile = 'default'

const othersMask = 0o077

/** The path of the profiles. */
export function profileFile(env: Env): string {
  return join(userFolder(env, 'config'), 'profiles.json')
}

/**
 * Reads the profiles. The result is empty if the file does not exist.
 *
 * @param warn called with a sentence if others can read the file
 * @throws UsageError for invalid content, CommandError if the file cannot be read
 */
export async function readProfiles(env: Env, warn: (sentence: string) => void = () => {}): Promise<Profiles> {
  const file = profileFile(env)
  const text = await readIfPresent(file)
  if (text === undefined) return {}
  // Windows has no such permissions. The user's folder is private there.
  const mode = process.platform === 'win32' ? 0 : (await stat(file)).mode
  if (mode & othersMask) warn(`Others can read the keys in ${file}. Run: chmod 600 '${file}'`)
  return parseProfiles(text, file)
}

/**
 * Writes the profiles to a file that only the owner can read. The file is written completely or not at all.
 *
 * @throws CommandError if it cannot be written; the old file is then unchanged
 */
export function writeProfiles(env: Env, profiles: Profiles): Promise<void> {
  return writeWholeFile(profileFile(env), [`${JSON.stringify(profiles, undefined, 2)}\n`], true)
}

/**
 * The profile chosen with `cdn profiles use`, or `default` before any choice.
 *
 * @throws CommandError if the choice cannot be read: the default could be another account
 */
export async function currentProfile(env: Env): Promise<string> {
  const name = (await readIfPresent(currentFile(env))) ?? ''
  return name.trim() || defaultProfile
}

/** @throws CommandError if the choice cannot be written */
export function setCurrentProfile(env: Env, name: string): Promise<void> {
  return writeWholeFile(currentFile(env), [`${name}\n`], true)
}

/** @throws UsageError for an unknown profile */
export function findProfile(profiles: Profiles, name: string): Settings {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const known = Object.keys(profiles).join(', ')
  const advice = known === '' ? `run cdn auth login --profile ${name}` : `expected ${known}`
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
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash) return url
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

function currentFile(env: Env): string {
  return join(dirname(profileFile(env)), 'current-profile')
}

/** @throws CommandError if the file exists and cannot be read */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return undefined
    throw new CommandError(`${file} cannot be read: ${code}`)
  }
}

/** Error messages contain the file and the place, but no value, since a value may be a credential. */
function parseProfiles(text: string, file: string): Profiles {
  const invalid = (what: string) =>
    new UsageError(`${file} cannot be used: ${what}. Correct it, or remove it and log in again.`)
  let profiles: unknown
  try {
    profiles = JSON.parse(text)
  } catch {} // the parser's message would quote the text
  if (!isRecord(profiles)) throw invalid('it is not a JSON object')
  for (const [name, profile] of Object.entries(profiles)) {
    const label = `the profile ${JSON.stringify(name)}`
    if (!isRecord(profile)) throw invalid(`${label} is not an object`)
    for (const [key, value] of Object.entries(profile)) {
      if (!/^CDN_[A-Z\d_]+$/.test(key)) throw invalid(`${label} has an unknown key ${JSON.stringify(key)}`)
      if (typeof value !== 'string' || value === '') throw invalid(`${key} of ${label} is not text`)
    }
  }
  return profiles as Profiles // checked above
}

export type Env = Readonly<Record<string, string | undefined>>

/** For each kind: the variable for the folder, the variable on Windows, and the default below the user's home. */
const kinds = {
  config: ['XDG_CONFIG_HOME', 'APPDATA', '.config'],
  state: ['XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'],
  cache: ['XDG_CACHE_HOME', 'LOCALAPPDATA', '.cache'],
} as const

/** The folder of this program in the user's home, as the XDG base directory specification defines it. */
export function userFolder(env: Env, kind: keyof typeof kinds): string {
  const [variable, windows, fallback] = kinds[kind]
  const onWindows = process.platform === 'win32' ? env[windows] : undefined
  return join(env[variable] || onWindows || join(env['HOME'] || homedir(), fallback), 'cdn')
}
