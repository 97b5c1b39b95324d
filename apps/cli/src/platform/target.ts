/** Which platform is called, as whom: decided by `--profile`, the environment, and the profiles, in this order. */
import { UsageError } from '../errors/command-error.ts'
import { checkAddress, checkCredential, defaultProfile, type Profile, type Profiles } from './profile.ts'

export interface Target {
  /** Where addresses and credential come from, in words. */
  readonly source: string
  /** The profile, where it is one. */
  readonly profile?: string
  /** Addresses; the public platform's where absent. */
  readonly management?: URL
  readonly logging?: URL
  readonly accessKey?: string
  readonly bearer?: string
}

interface Asked {
  readonly profile: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readProfiles: () => Promise<Profiles>
}

/** The variables of design §9. */
const variables = {
  managementUrl: 'CDN_MANAGEMENT_URL',
  loggingUrl: 'CDN_LOGGING_URL',
  accessKey: 'CDN_ACCESS_KEY',
  bearer: 'CDN_BEARER_TOKEN',
} as const satisfies Record<keyof Profile, string>

/**
 * Decides. A profile brings addresses and credential together, so that no key goes to an address that it was not kept for:
 * `--profile` alone counts where it is given; else a credential of the environment with the addresses of the environment;
 * else the profile of CDN_PROFILE, or `default`.
 *
 * @returns the target, with or without a credential
 * @throws UsageError where a profile is missing, or profile and environment contradict each other
 */
export async function decideTarget({ profile: named, env, readProfiles }: Asked): Promise<Target> {
  const set = (key: keyof Profile) => env[variables[key]] || undefined
  const hasCredential = set('accessKey') !== undefined || set('bearer') !== undefined
  const wanted = env['CDN_PROFILE'] || undefined
  if (named === undefined && hasCredential) {
    if (wanted !== undefined) {
      const credential = set('accessKey') ? variables.accessKey : variables.bearer
      throw new UsageError(
        `CDN_PROFILE and ${credential} are both set, and it is not clear which one counts. Unset one, or say --profile ${wanted}.`,
      )
    }
    return environmentTarget(set)
  }

  const name = named ?? wanted ?? defaultProfile
  const profiles = await readProfiles()
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile) {
    if (named === undefined && wanted === undefined) return environmentTarget(set)
    const known = Object.keys(profiles)
    throw new UsageError(
      `There is no profile ${JSON.stringify(name)}. ${known.length > 0 ? `There are: ${known.join(', ')}.` : `Run cdn auth login --profile ${name}.`}`,
    )
  }
  for (const key of ['managementUrl', 'loggingUrl'] as const) {
    const address = named === undefined ? set(key) : undefined
    if (address !== undefined && !isSame(address, profile[key])) {
      throw new UsageError(
        `${variables[key]} is set to another address than that of the profile ${JSON.stringify(name)}, whose key is not for it. Unset it, or set ${variables.accessKey} too.`,
      )
    }
  }
  return toTarget(`profile ${name}`, profile, (key) => `${key} of the profile ${JSON.stringify(name)}`, name)
}

function environmentTarget(set: (key: keyof Profile) => string | undefined): Target {
  const values = Object.entries(variables).map(([key]) => [key, set(key as keyof Profile)])
  return toTarget('the environment', Object.fromEntries(values), (key) => variables[key])
}

function toTarget(source: string, values: Profile, where: (key: keyof Profile) => string, profile?: string): Target {
  const { managementUrl, loggingUrl, accessKey, bearer } = values
  return {
    source,
    ...(profile !== undefined && { profile }),
    ...(managementUrl && { management: checkAddress(managementUrl, where('managementUrl')) }),
    ...(loggingUrl && { logging: checkAddress(loggingUrl, where('loggingUrl')) }),
    ...(accessKey && { accessKey: checkCredential(accessKey, where('accessKey')) }),
    ...(bearer && { bearer: checkCredential(bearer, where('bearer')) }),
  }
}

function isSame(address: string, kept: string | undefined): boolean {
  return kept !== undefined && URL.canParse(address) && new URL(address).href === new URL(kept).href
}
