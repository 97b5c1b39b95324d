/** The platform of a command: its address and credential, chosen by `--profile`, the environment, and the profiles, in this order. */
import type { ClientOptions, Fetch, LoggingClientOptions } from '@cdn/api'
import type { InterfaceName, SecurityScheme } from '@cdn/api/contract'
import type { Env } from '@cdn/kit/env'
import { curlWords } from '@cdn/kit/shell'
import { CommandError, cliExitCodes, UsageError } from '../terminal/command-error.ts'
import type { Writer } from '../terminal/writer.ts'
import { checkAddress, checkCredential, defaultProfile, findProfile, readProfiles, type Settings } from './profiles.ts'

/** The profile, the saved settings and the environment, from which the settings of a command are chosen. */
export interface SettingSources {
  /** The profile in use; undefined if the environment has the credential, or nothing has one. */
  readonly profile?: string
  readonly saved?: Settings
  readonly env: Env
  /** Whether to ignore addresses in the environment: with `--profile`, and when a login checks its own credential. */
  readonly isExplicit: boolean
}

const interfaceNames: readonly InterfaceName[] = ['management', 'logging']

/** The environment variable for the address of an interface, such as `CDN_LOGGING_URL`. */
export function addressVariable(name: string): string {
  return `CDN_${name.toUpperCase().replaceAll('-', '_')}_URL`
}

/** Variables of the account's credentials (§5). */
export const accountVariables = ['CDN_ACCESS_KEY', 'CDN_BEARER_TOKEN'] as const

/**
 * Chooses the target. `--profile` comes first, then a credential of the account in the environment. Otherwise it is a profile: the
 * one in CDN_PROFILE, or the current one. Without a profile `default`, the addresses come from the environment.
 *
 * @param named value of `--profile`
 * @param warn called with a sentence if others can use the profiles
 * @throws UsageError if the chosen profile is missing, or CDN_PROFILE and a credential are both set; errors of `readProfiles`
 */
export async function decideTarget(
  env: Env,
  named: string | undefined,
  warn?: (sentence: string) => void,
): Promise<SettingSources> {
  const requested = env['CDN_PROFILE'] || undefined
  const credential = named === undefined ? accountVariables.find((variable) => env[variable]) : undefined
  if (credential !== undefined) {
    if (requested !== undefined)
      throw new UsageError(`CDN_PROFILE and ${credential} are both set. Unset one, or give --profile ${requested}.`)
    return { env, isExplicit: false }
  }
  const known = await readProfiles(env, warn)
  const profile = named ?? requested ?? known.current
  const isOptional = profile === defaultProfile && named === undefined && requested === undefined
  if (isOptional && !Object.hasOwn(known.profiles, profile)) return { env, isExplicit: false }
  return { profile, saved: findProfile(known, profile), env, isExplicit: named !== undefined }
}

/**
 * Takes all settings of an interface from the profile or, if no profile is in use, from the environment. So a key is sent only to the
 * address that it was saved for.
 *
 * @throws UsageError for an invalid address, or if only the other interface has an address: the key of another platform would go to
 *   the public one. Without `--profile`, also for an address in the environment that differs from the profile's
 */
export function settingsOf({ profile, saved, env, isExplicit }: SettingSources, name: InterfaceName) {
  const address = addressVariable(name)
  const values = saved ?? env
  const where = (variable: string) => (saved ? `${variable} of the profile ${JSON.stringify(profile)}` : variable)
  const url = values[address] ? checkAddress(values[address], where(address)) : undefined
  const other = saved && !isExplicit ? env[address] : undefined
  if (other && !(URL.canParse(other) && new URL(other).href === url?.href)) {
    throw new UsageError(
      `${address} differs from the address of the profile ${JSON.stringify(profile)}, so the key of the profile is not sent there. Unset it, or also set ${accountVariables.join(' or ')}.`,
    )
  }
  const only = url ? undefined : interfaceNames.map(addressVariable).find((variable) => values[variable])
  if (only)
    throw new UsageError(
      `${where(address)} is not set, but ${only} is: the credential for that platform would be sent to the public one. ${saved ? 'Log in again with both addresses.' : `Set ${address}, too.`}`,
    )
  /** The value of a variable; an empty text counts as unset. */
  const get = (variable: string) => values[variable] || undefined
  return { address: url, get, where }
}

interface PlatformOptions {
  readonly env: Env
  readonly out: Writer
  readonly err: Writer
  readonly fetch: typeof fetch
  readonly profile: string | undefined
  readonly isVerbose: boolean
  readonly isDryRun: boolean
  /** Ends the command after the first request of a dry run. */
  readonly end: () => void
}

/** The platform as one command sees it: addresses and credentials. They are read on demand. */
export type CommandPlatform = ReturnType<typeof createPlatform>

export function createPlatform({ env, out, err, fetch, profile, isVerbose, isDryRun, end }: PlatformOptions) {
  let decided: Promise<SettingSources> | undefined
  let lastHost: string | undefined
  let isPrinted = false
  const target = () => {
    decided ??= decideTarget(env, profile, (sentence) => void err.write(`cdn: warning: ${sentence}\n`))
    return decided
  }

  const print = async (request: Request, name: InterfaceName): Promise<never> => {
    const { contracts } = await import('@cdn/api/contract')
    // If several requests start at once, only the first one is printed.
    const isFirst = !isPrinted
    isPrinted = true
    if (isFirst) await out.write(`${await toCurl(request, contracts[name].schemes)}\n`)
    end()
    throw new Error('Dry run: the request is not sent')
  }
  const sendTo =
    (name: InterfaceName): Fetch =>
    async (input, init) => {
      const request = new Request(input, init)
      lastHost = new URL(request.url).host
      if (isDryRun) return print(request, name)
      if (!isVerbose) return fetch(request)
      const start = performance.now()
      const log = (what: unknown) => err.write(`< ${what} after ${Math.round(performance.now() - start)} ms\n`)
      await err.write(`> ${request.method} ${request.url}\n`)
      const response = await fetch(request).catch(async (error) => {
        await log('no response')
        throw error
      })
      await log(response.status)
      return response
    }
  return {
    target,
    isDryRun,
    lastHost: () => lastHost,
    async address(name: InterfaceName): Promise<URL> {
      const { contracts } = await import('@cdn/api/contract')
      return settingsOf(await target(), name).address ?? new URL(contracts[name].publicUrl)
    },
    /**
     * Options for a client of `@cdn/api`: address, credential, and a `fetch` that implements `--verbose` and `--dry-run`.
     *
     * @param accepted names of the schemes that the operation accepts. They are preferred, but not required: the spec may not
     *   state whether an operation accepts a token (§5)
     * @param sources where the settings come from; the command's target by default
     * @throws CommandError (exit 3) without a credential, unless it is a dry run; UsageError for a contradictory configuration
     */
    async options(
      name: InterfaceName,
      accepted: readonly string[] = [],
      sources?: SettingSources,
    ): Promise<ClientOptions & LoggingClientOptions> {
      const settings = settingsOf(sources ?? (await target()), name)
      const client = { baseUrl: settings.address, fetch: sendTo(name) }
      const usable = [...schemes.filter((scheme) => accepted.includes(scheme.name)), ...schemes]
      const scheme = usable.find(({ variable }) => settings.get(variable)) ?? (isDryRun ? usable[0] : undefined)
      if (!scheme)
        throw new CommandError(
          'Missing credential. Run cdn auth login, or set CDN_ACCESS_KEY (the account settings show the key under API Keys).',
          cliExitCodes.credentials,
        )
      const { kind, variable } = scheme
      const credential = checkCredential(settings.get(variable) ?? 'none', settings.where(variable))
      return kind === 'bearer' ? { ...client, bearer: credential } : { ...client, accessKey: credential }
    },
  }
}

/** The schemes of the interfaces (§5). They are repeated here because loading the contract takes time. */
const schemes: readonly Pick<SecurityScheme, 'name' | 'kind' | 'variable'>[] = [
  { name: 'AccessKey', kind: 'key', variable: accountVariables[0] },
  { name: 'bearer', kind: 'bearer', variable: accountVariables[1] },
]

/**
 * Writes a request as a curl command for a POSIX shell. The credential is written as a variable.
 *
 * @param schemes of the interface: the headers of credentials, and the variables that hold them
 * @returns the line, without its line end
 */
export async function toCurl(request: Request, schemes: readonly SecurityScheme[]): Promise<string> {
  const { method, url } = request
  const credentials = new Map(
    schemes.map(({ header, kind, variable }) => [
      header.toLowerCase(),
      `${kind === 'bearer' ? 'Bearer ' : ''}$${variable}`,
    ]),
  )
  // Header names as the contract spells them; a Request has them in lower case.
  const written = new Map(schemes.map(({ header }) => [header.toLowerCase(), header]))
  const headers = [...request.headers].map(([name, value]) => [written.get(name) ?? name, value] as const)
  const bytes = new Uint8Array(await request.arrayBuffer())
  const body = toText(bytes)
  const line = curlWords({ method, url, headers, body }, credentials).join(' ')
  return body === undefined
    ? `${line} --data-binary @-  # the ${bytes.length} bytes of the body on standard input`
    : line
}

function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /(?![\n\t])\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
