/** `cdn auth` and `cdn profiles`: credentials, saved in named profiles. */

import { addAbortSignal } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { contracts, type SecurityScheme } from '@cdn/api/contract'
import { addressVariable } from '@cdn/kit/address-variable'
import { camelCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import { accountVariables, type SettingSources, settingsOf } from '../target/platform.ts'
import type { Env } from '../target/profiles.ts'
import * as profiles from '../target/profiles.ts'
import { cliExitCodes, UsageError } from '../terminal/command-error.ts'
import { ask, askLine } from '../terminal/prompt.ts'
import {
  type CommandContext,
  type CommandValues,
  defineCommand,
  type Entry,
  type Option,
  textOption,
} from './program/declaration.ts'
import { named, profileName } from './program/value-type.ts'

const profileOption: Option = {
  value: profileName,
  summary: 'Name of the profile (default: CDN_PROFILE, the current profile, or default)',
}

/** The commands of `cdn auth`. */
export function authCommands(): readonly Entry[] {
  return [
    defineCommand({
      name: 'login',
      summary: 'Save a credential in a profile',
      details: [
        'The credential is read from a prompt or from standard input, never from an argument. It is stored in a file that only you can read and sent to the addresses of the profile only. One request checks an API key before it is saved. The first profile becomes the current one.',
      ],
      options: {
        profile: profileOption,
        bearer: { summary: 'Save a bearer token instead of an API key' },
        'no-check': { summary: 'Save the credential without checking it' },
        ...loginOptions(),
      },
      examples: [
        { text: 'Read the key from a file', line: 'cdn auth login < key.txt' },
        {
          text: 'Save another account under a name',
          line: 'cdn auth login --profile staging --logging-url "$CDN_LOGGING_URL" --management-url "$CDN_MANAGEMENT_URL" < key.txt',
        },
      ],
      run: login,
    }),
    defineCommand({
      name: 'status',
      summary: 'Show which credential and addresses are used',
      details: [
        'The exit code is 3 without a credential. The credential itself is never shown.',
        'Fields: source, profile (or null), credential (API key, bearer token or null), the address of each interface (managementUrl, loggingUrl, ...), file (of the profiles), profiles (their names).',
      ],
      examples: [{ text: 'Show where requests go', line: 'cdn auth status' }],
      isRemote: true,
      hasOutput: true,
      run: status,
    }),
    defineCommand({
      name: 'logout',
      summary: 'Remove a profile and its credentials',
      options: { profile: profileOption },
      examples: [{ text: 'Save a key and remove it again', line: 'cdn auth login < key.txt && cdn auth logout' }],
      run: logout,
    }),
  ]
}

/** The commands of `cdn profiles`. */
export function profileCommands(): readonly Entry[] {
  return [
    defineCommand({
      name: 'list',
      summary: 'List the profiles',
      details: [
        'Fields: name, current, credential (API key, bearer token or null), and the addresses that are not the public ones.',
      ],
      examples: [{ text: 'List the profiles', line: 'cdn profiles list' }],
      hasOutput: true,
      run: list,
    }),
    defineCommand({
      name: 'use',
      summary: 'Make a profile the current one',
      details: ['The current profile is used without --profile, CDN_PROFILE and a credential in the environment.'],
      arguments: { name: { value: profileName, summary: 'Name of the profile' } },
      examples: [
        {
          text: 'Switch to a saved profile',
          line: 'cdn auth login --profile staging < key.txt && cdn profiles use staging',
        },
      ],
      run: async ({ env, err }, { arguments: { name } }) => {
        profiles.findProfile(await profiles.readProfiles(env), name)
        await profiles.setCurrentProfile(env, name)
        await err.write(`The current profile is ${name}.\n`)
      },
    }),
  ]
}

/** Login options for the address of each interface. */
function loginOptions(): Readonly<Record<string, Option>> {
  const addresses = Object.values(contracts).map(({ interface: name }) => [
    `${name}-url`,
    { value: named('URL'), summary: `Address of the ${name} interface (default: the public platform)` },
  ])
  return Object.fromEntries(addresses)
}

async function login(context: CommandContext, { options }: Pick<CommandValues, 'options'>): Promise<void> {
  const { env, err } = context
  const chosen = await chosenProfile(env)
  const name = profiles.checkProfileName(textOption(options, 'profile') ?? chosen)
  const addresses = await readAddresses(context, options)
  // Read the file before the prompt, so that an invalid file is reported first.
  const all = await profiles.readProfiles(env)
  const kind = options['bearer'] ? 'bearer token' : 'API key'
  const scheme = defined(
    contracts.management.schemes.find((entry) => entry.kind === (options['bearer'] ? 'bearer' : 'key')),
  )
  const urls: string[] = []
  for (const { interface: target, publicUrl } of Object.values(contracts)) {
    const url = addresses[addressVariable(target)] ?? publicUrl
    urls.push(url)
    await checkEnvironment(context, target, url, kind)
  }
  const credential = profiles.checkCredential((await readCredential(context, kind)).trim(), `The ${kind}`)
  const saved = { ...addresses, [scheme.variable]: credential }
  if (!options['no-check']) await checkAccepted(context, { profile: name, saved, env, isExplicit: true }, scheme)
  await profiles.writeProfiles(env, { ...all, [name]: saved })
  const file = profiles.profileFile(env)
  await err.write(`The ${kind} for ${urls.join(' and ')} is saved in the profile ${name}, in ${file}.\n`)
  if (Object.keys(all).length === 0 && name !== chosen) {
    await profiles.setCurrentProfile(env, name)
    await err.write(`It is the current profile.\n`)
  } else if (name !== chosen) await err.write(`To use it: --profile ${name}, or cdn profiles use ${name}.\n`)
  const winner = accountVariables.find((key) => env[key])
  if (winner)
    await err.write(`cdn: warning: ${winner} is set and takes precedence, unless --profile ${name} is given.\n`)
}

async function readAddresses({ err }: CommandContext, options: CommandValues['options']) {
  const addresses: Record<string, string> = {}
  for (const target of Object.keys(contracts)) {
    const address = textOption(options, `${target}-url`)
    if (address === undefined) continue
    addresses[addressVariable(target)] = address
    const { protocol, hostname } = profiles.checkAddress(address, `--${target}-url`)
    if (protocol === 'http:' && !/^(localhost|\[::1\]|127\..*)$/.test(hostname))
      await err.write(`cdn: warning: --${target}-url is not encrypted: the credential can be read on the way.\n`)
  }
  return addresses
}

/** Asks before a credential is saved for another address than the one in the environment, which may be meant. */
async function checkEnvironment(context: CommandContext, name: string, url: string, kind: string): Promise<void> {
  const variable = addressVariable(name)
  const other = context.env[variable]
  if (!other || profiles.checkAddress(other, variable).href === new URL(url).href) return
  const sentence = `${variable} is ${new URL(other).href}, but the ${kind} would be saved for ${url}.`
  const advice = `give --${name}-url "$${variable}", or unset ${variable}.`
  await ask(context, sentence, advice, 'Nothing was saved.')
}

/**
 * Sends a read with the new credential: one that needs no scope if there is one, and of these the one of the area that the contract
 * names first. An operation with required values is not sent.
 *
 * @throws the error of the request, after a note that nothing was saved
 */
async function checkAccepted(
  context: CommandContext,
  sources: SettingSources,
  { name, kind }: SecurityScheme,
): Promise<void> {
  const { areas, operations } = contracts.management
  const reads = operations.filter(
    ({ effect, schemes, parameters }) =>
      effect === 'read' && schemes.includes(name) && !parameters.some(({ required }) => required),
  )
  const inOrder = areas.flatMap((area) => reads.filter((read) => read.area === area.name))
  const operation = inOrder.find(({ scopes }) => scopes.length === 0) ?? inOrder[0]
  if (!operation) return context.err.write(`The ${kind} is not checked: the contract has no read for that.\n`)
  const { send } = await import('../operations/send.ts')
  const values = { path: {}, query: {}, headers: {} }
  const platform: typeof context.platform = {
    ...context.platform,
    options: (owner, schemes) => context.platform.options(owner, schemes, sources),
  }
  try {
    const { data } = await send({ ...context, platform }, operation, values, 'stream')
    // The status is enough, and the list may be long.
    if (data instanceof ReadableStream) await data.cancel()
  } catch (error) {
    await context.err.write('Nothing was saved. To save without this check: --no-check.\n')
    throw error
  }
}

async function readCredential(context: CommandContext, kind: string): Promise<string> {
  if (context.stdin().isTTY) return askLine(context, `${kind} (not shown): `, true)
  const text = await readText(addAbortSignal(context.signal, context.stdin()))
  if (text.trim() !== '') return text
  throw new UsageError(`Missing ${kind} on standard input. Pipe it in, or run the command on a terminal.`)
}

/** Prints the state of the login. The shape of the result is stable. */
async function status({ env, platform, output }: CommandContext): Promise<number> {
  const target = await platform.target()
  const credential = credentialOf(settingsOf(target, 'management').get)
  const names = Object.values(contracts).map((contract) => contract.interface)
  const addresses = names.map(async (name) => [addressField(name), (await platform.address(name)).href])
  await output.value({
    source: target.profile === undefined ? 'the environment' : `profile ${target.profile}`,
    profile: target.profile ?? null,
    credential,
    ...Object.fromEntries(await Promise.all(addresses)),
    file: profiles.profileFile(env),
    profiles: Object.keys(await profiles.readProfiles(env)),
  })
  return credential === null ? cliExitCodes.credentials : cliExitCodes.done
}

async function logout({ env, err }: CommandContext, { options }: Pick<CommandValues, 'options'>): Promise<void> {
  const name = textOption(options, 'profile') ?? (await chosenProfile(env))
  const all = { ...(await profiles.readProfiles(env)) }
  profiles.findProfile(all, name)
  delete all[name]
  await profiles.writeProfiles(env, all)
  const isCurrent = name !== profiles.defaultProfile && name === (await profiles.currentProfile(env))
  if (isCurrent) await profiles.setCurrentProfile(env, profiles.defaultProfile)
  await err.write(`The profile ${name} is removed.\n`)
}

async function list({ env, output }: CommandContext): Promise<void> {
  const chosen = await chosenProfile(env)
  const interfaces = Object.keys(contracts)
  const rows = Object.entries(await profiles.readProfiles(env)).map(([name, settings]) => {
    const addresses = interfaces.flatMap((target) => {
      const variable = addressVariable(target)
      const address = settings[variable]
      // An address that was written into the file may contain a password.
      if (address !== undefined) profiles.checkAddress(address, `${variable} of the profile ${JSON.stringify(name)}`)
      return address === undefined ? [] : [[addressField(target), address]]
    })
    const credential = credentialOf((variable) => settings[variable])
    return { name, current: name === chosen, credential, ...Object.fromEntries(addresses) }
  })
  const fields = ['name', 'current', 'credential', ...interfaces.map(addressField)]
  await output.records(rows, { fields })
}

function addressField(name: string): string {
  return `${camelCase(name)}Url`
}

async function chosenProfile(env: Env): Promise<string> {
  return env['CDN_PROFILE'] || (await profiles.currentProfile(env))
}

function credentialOf(get: (variable: string) => string | undefined): 'API key' | 'bearer token' | null {
  const [key, token] = accountVariables
  return get(key) ? 'API key' : get(token) ? 'bearer token' : null
}
