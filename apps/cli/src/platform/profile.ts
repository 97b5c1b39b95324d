/** Profiles: addresses and a credential under a name, in a file that only its owner can read. */
import { UsageError } from '../errors/command-error.ts'

export interface Profile {
  readonly accessKey?: string
  readonly bearer?: string
  readonly managementUrl?: string
  readonly loggingUrl?: string
}

export type Profiles = Readonly<Record<string, Profile>>

/** The profile that counts where none is named. */
export const defaultProfile = 'default'

const keys: readonly string[] = ['accessKey', 'bearer', 'managementUrl', 'loggingUrl'] satisfies (keyof Profile)[]

/**
 * Reads the text of a profile file, strictly.
 *
 * @param file its path, for messages
 * @throws UsageError that names the file and the place, and never repeats a value: it may be a credential
 */
export function parseProfiles(text: string, file: string): Profiles {
  const wrong = (what: string) =>
    new UsageError(`${file} cannot be used: ${what}. Correct it, or remove it and log in again.`)
  const parsed = parseJson(text)
  if (!isRecord(parsed)) throw wrong('it is no JSON object')
  for (const [name, profile] of Object.entries(parsed)) {
    const label = `the profile ${JSON.stringify(name)}`
    if (!isRecord(profile)) throw wrong(`${label} is no object`)
    for (const [key, value] of Object.entries(profile)) {
      if (!keys.includes(key)) throw wrong(`${label} has an unknown key ${JSON.stringify(key)}`)
      if (typeof value !== 'string' || value === '') throw wrong(`${key} of ${label} is no text`)
    }
    if (profile['accessKey'] !== undefined && profile['bearer'] !== undefined) {
      throw wrong(`${label} has both accessKey and bearer`)
    }
  }
  return parsed as Profiles
}

/** The parser's message would quote the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a name of a profile may be. */
export function checkProfileName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name) && name !== '__proto__') return name
  throw new UsageError(
    `The name of a profile must be 1 to 64 letters, digits, dots, hyphens and underscores, not ${JSON.stringify(name)}`,
  )
}

/**
 * Checks an address before a credential is kept for it or sent to it.
 *
 * @param where what names it, for the message; the address is not repeated, it may hold a password
 * @throws UsageError
 */
export function checkAddress(address: string, where: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash) return url
  throw new UsageError(
    `${where} must be an http or https address without user name, password, query and fragment, such as https://api.example.com`,
  )
}

/**
 * Checks a credential before it is kept or sent.
 *
 * @throws UsageError that does not repeat it
 */
export function checkCredential(credential: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(credential)) return credential
  throw new UsageError(`${where} must be visible ASCII characters without spaces`)
}
