import type { Context } from '../../context/context.ts'
import { askLine } from '../../context/prompt.ts'
import { UsageError } from '../../errors/command-error.ts'
import {
  checkAddress,
  checkCredential,
  checkProfileName,
  defaultProfile,
  type Profile,
} from '../../platform/profile.ts'
import { profileFile, readProfiles, writeProfiles } from '../../platform/profile-file.ts'

interface LoginOptions {
  readonly profile: string | undefined
  readonly bearer: boolean
  readonly 'management-url': string | undefined
  readonly 'logging-url': string | undefined
}

/** Asks for a credential and keeps it. */
export async function login(context: Context, options: LoginOptions): Promise<void> {
  const { env, err } = context
  const name = checkProfileName(options.profile ?? (env['CDN_PROFILE'] || defaultProfile))
  const addresses = { managementUrl: options['management-url'], loggingUrl: options['logging-url'] }
  for (const [key, option] of [
    ['managementUrl', '--management-url'],
    ['loggingUrl', '--logging-url'],
  ] as const) {
    const address = addresses[key]
    const url = address === undefined ? undefined : checkAddress(address, option)
    if (url?.protocol === 'http:' && !isLoopback(url)) {
      await err.write(
        `cdn: warning: ${option} is not encrypted: whoever carries the requests can read the credential.\n`,
      )
    }
  }
  // Read before anybody types: a file that cannot be used is told at once.
  const profiles = await readProfiles(env, () => {})
  const kind = options.bearer ? 'bearer token' : 'API key'
  const credential = checkCredential((await readCredential(context, kind)).trim(), `The ${kind}`)
  const profile: Profile = {
    ...(options.bearer ? { bearer: credential } : { accessKey: credential }),
    ...Object.fromEntries(Object.entries(addresses).filter(([, address]) => address !== undefined)),
  }
  await writeProfiles(env, { ...profiles, [name]: profile })
  await err.write(`The ${kind} is kept in the profile ${name}, in ${profileFile(env)}.\n`)
  const variable = ['CDN_ACCESS_KEY', 'CDN_BEARER_TOKEN'].find((key) => env[key])
  if (variable) await err.write(`cdn: warning: ${variable} is set, and counts unless --profile ${name} is given.\n`)
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

async function readCredential(context: Context, kind: string): Promise<string> {
  if (context.in.isTerminal) return askLine(context, `The ${kind} (it is not shown): `, true)
  const text = new TextDecoder().decode(await context.in.read())
  if (text.trim() === '')
    throw new UsageError(`Standard input holds no ${kind}. Give it there, or run the command on a terminal.`)
  return text
}
