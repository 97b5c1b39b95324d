/** Chooses the platform and the credential: by `--profile`, the environment, and the profiles, in this order. */
import { addressVariable } from '@cdn/kit/address-variable'
import { UsageError } from '../terminal/command-error.ts'
import {
  checkAddress,
  currentProfile,
  defaultProfile,
  type Env,
  findProfile,
  type Profiles,
  readProfiles,
  type Settings,
} from './profiles.ts'

/** Where the settings of interfaces come from. */
export interface SettingSources {
  /** The profile in use; undefined if the environment has the credential, or nothing has one. */
  readonly profile?: string
  readonly saved?: Settings
  readonly env: Env
  /** Whether `--profile` was given. If so, addresses in the environment are ignored. */
  readonly isExplicit: boolean
}

/** Variables of the account's credentials, for the interfaces of the specification (§5). */
export const accountVariables = ['CDN_ACCESS_KEY', 'CDN_BEARER_TOKEN'] as const
const accountAddresses = ['management', 'logging'].map(addressVariable)

/**
 * Chooses the target. `--profile` comes first, then a credential of the account in the environment. Otherwise it is a profile: the
 * one in CDN_PROFILE, the current one (`cdn profiles use`), or `default`.
 *
 * @param named value of `--profile`
 * @param warn called with a sentence if others can read the profiles, or if a profile for another address is not used
 * @throws UsageError if a profile is missing, or CDN_PROFILE and a credential are both set
 */
export async function decideTarget(
  env: Env,
  named: string | undefined,
  warn?: (sentence: string) => void,
): Promise<SettingSources> {
  const requested = env['CDN_PROFILE'] || undefined
  const credential = accountVariables.find((variable) => env[variable])
  if (named === undefined && credential !== undefined) {
    if (requested === undefined) {
      await warnOfUnusedProfile(env, credential, warn)
      return { env, isExplicit: false }
    }
    throw new UsageError(`CDN_PROFILE and ${credential} are both set. Unset one, or give --profile ${requested}.`)
  }
  const profile = named ?? requested ?? (await currentProfile(env))
  const profiles = await readProfiles(env, warn)
  const isOptional = profile === defaultProfile && named === undefined && requested === undefined
  if (isOptional && !Object.hasOwn(profiles, profile)) return { env, isExplicit: false }
  return { profile, saved: findProfile(profiles, profile), env, isExplicit: named !== undefined }
}

/** A credential in the environment also decides the addresses, so a request may leave the platform of the current profile. */
async function warnOfUnusedProfile(env: Env, credential: string, warn?: (sentence: string) => void): Promise<void> {
  const profile = await currentProfile(env)
  const saved = (await readProfiles(env).catch((): Profiles => ({})))[profile]
  const differs = accountAddresses.some((variable) => saved?.[variable] && saved[variable] !== env[variable])
  if (differs)
    warn?.(
      `${credential} is set, so the profile ${JSON.stringify(profile)} and its addresses are not used. To use it, give --profile ${profile}.`,
    )
}

/** The address and the credentials of one interface. */
export interface InterfaceSettings {
  readonly address: URL | undefined
  /** The value of a variable of the interface; an empty text counts as unset. */
  readonly get: (variable: string) => string | undefined
  readonly where: (variable: string) => string
}

/**
 * Takes all settings of an interface from one place, so that a key is sent only to the address that it was saved for. If the
 * profile has any of them, the place is the profile, otherwise the environment. Interfaces that use the account's credentials take
 * them from the profile whenever one is in use.
 *
 * @param variables of the interface's credentials
 * @throws UsageError for an invalid address, or an address in the environment that differs from the profile's
 */
export function settingsOf(
  { profile, saved, env, isExplicit }: SettingSources,
  name: string,
  variables: readonly string[],
): InterfaceSettings {
  const isAccount = accountVariables.some((variable) => variables.includes(variable))
  const address = addressVariable(name)
  const isSaved = saved && (isAccount || [address, ...variables].some((variable) => variable in saved))
  const values = isSaved ? saved : env
  const where = (variable: string) => (isSaved ? `${variable} of the profile ${JSON.stringify(profile)}` : variable)
  const url = values[address] ? checkAddress(values[address], where(address)) : undefined
  const other = isSaved && !isExplicit ? env[address] : undefined
  if (other && !(URL.canParse(other) && new URL(other).href === url?.href)) {
    throw new UsageError(
      `${address} differs from the address of the profile ${JSON.stringify(profile)}, so the key of the profile is not sent there. Unset it, or also set ${variables.join(' or ')}.`,
    )
  }
  return { address: url, get: (key) => values[key] || undefined, where }
}
