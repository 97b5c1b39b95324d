/** `cdn auth` and `cdn profiles`: credentials, saved in named profiles. */
import { addAbortSignal } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { contracts, type SecurityScheme } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { camelCase } from '@cdn/kit/letter-case'
import { type Command, Option } from '@commander-js/extra-typings'
import { argument, type CommandContext, describe, option, type StartCommand } from '../program/command.ts'
import { nonEmpty, profileName } from '../program/value-type.ts'
import { accountVariables, addressVariable, type SettingSources, settingsOf } from '../target/platform.ts'
import * as profiles from '../target/profiles.ts'
import { CommandError, cliExitCodes, isNamed, UsageError } from '../terminal/command-error.ts'
import { askLine } from '../terminal/prompt.ts'

const interfaces = Object.values(contracts)

/** Adds `cdn auth login`, `status` and `logout`. */
export function addAuthCommands(group: Command, start: StartCommand): void {
  const loginCommand = describe(group.command('login').summary('Save a credential in a profile'), {
    details: [
      'Without --profile, the credential is saved in the profile of CDN_PROFILE, the current profile, or the profile default. It is read from a prompt or from standard input, never from an argument. It is stored in a file that only you can read, and sent only to the addresses of the profile. One request checks the credential before it is saved. The first profile becomes the current one.',
    ],
    examples: [
      { text: 'Read the key from a file', line: 'cdn auth login < key.txt' },
      {
        text: 'Save another account under a name',
        line: 'cdn auth login --profile staging --logging-url "$CDN_LOGGING_URL" --management-url "$CDN_MANAGEMENT_URL" < key.txt',
      },
    ],
    takesProfile: true,
  })
    .addOption(new Option('--bearer', 'Save a bearer token instead of an API key'))
    .addOption(new Option('--no-check', 'Save the credential without checking it'))
  for (const { interface: name } of interfaces)
    loginCommand.addOption(
      option(`--${name}-url <url>`, `Address of the ${name} interface (default: the public platform)`, nonEmpty),
    )
  loginCommand.action((options) => start((context) => login(context, options)))

  describe(group.command('status').summary('Show which credential and addresses are used'), {
    details: [
      'The exit code is 3 without a credential, and with --check also if the platform refuses it. The credential itself is never shown.',
      'Fields: source, profile (or null), kind (of the credential: API key, bearer token or null), the address of each interface (managementUrl, loggingUrl, ...), file (of the profiles), profiles (their names), and with --check: accepted.',
    ],
    examples: [
      { text: 'Show where requests go', line: 'cdn auth status' },
      { text: 'Check the credential, too', line: 'cdn auth status --check' },
    ],
    isRemote: true,
    hasOutput: true,
  })
    .addOption(new Option('--check', 'Send one request to check that the platform accepts the credential'))
    .action(({ check }) => start((context) => status(context, check === true)))

  describe(group.command('logout').summary('Remove a profile and its credentials'), {
    examples: [{ text: 'Save a key and remove it again', line: 'cdn auth login < key.txt && cdn auth logout' }],
    takesProfile: true,
  }).action(() => start(logout))
}

/** Adds `cdn profiles list` and `use`. */
export function addProfileCommands(group: Command, start: StartCommand): void {
  describe(group.command('list').summary('List the profiles'), {
    details: [
      'Fields: name, current, kind (of the credential: API key, bearer token or null), and the addresses that differ from the public platform.',
    ],
    examples: [{ text: 'List the profiles', line: 'cdn profiles list' }],
    hasOutput: true,
  }).action(() => start(list))

  describe(group.command('use').summary('Make a profile the current one'), {
    details: [
      'The current profile applies if there is no --profile, no CDN_PROFILE and no credential in the environment.',
    ],
    examples: [
      {
        text: 'Switch to a saved profile',
        line: 'cdn auth login --profile staging < key.txt && cdn profiles use staging',
      },
    ],
  })
    .addArgument(argument('<name>', 'Name of the profile', profileName))
    .action((name) =>
      start(async ({ env, err }) => {
        await profiles.changeProfiles(env, (known) => {
          profiles.findProfile(known, name)
          return { ...known, current: name }
        })
        await err.write(`The current profile is ${name}.\n`)
      }),
    )
}

interface LoginOptions {
  readonly bearer?: true | undefined
  readonly check: boolean
}

async function login(context: CommandContext, options: LoginOptions): Promise<void> {
  const { env, err } = context
  // Read the file before the prompt, so that an invalid file is reported first.
  const known = await profiles.readProfiles(env)
  const chosen = env['CDN_PROFILE'] || known.current
  const name = profiles.checkProfileName(context.profile ?? chosen)
  const kind = options.bearer ? 'bearer token' : 'API key'
  const { addresses, urls } = await readAddresses(context, kind, { ...options })
  const scheme = schemeOf(kind)
  const credential = profiles.checkCredential((await readCredential(context, kind)).trim(), `The ${kind}`)
  const saved = { ...addresses, [scheme.variable]: credential }
  if (options.check)
    await sendCheck(context, kind, { profile: name, saved, env, isExplicit: true }).catch(async (error: unknown) => {
      await err.write('Nothing was saved. To save without this check: --no-check.\n')
      throw error
    })
  let isFirst = false
  await profiles.changeProfiles(env, (now) => {
    isFirst = Object.keys(now.profiles).length === 0
    return { current: isFirst ? name : now.current, profiles: { ...now.profiles, [name]: saved } }
  })
  const file = profiles.profileFile(env)
  await err.write(`The ${kind} for ${urls.join(' and ')} is saved in the profile ${name}, in ${file}.\n`)
  if (name !== chosen)
    await err.write(
      isFirst ? 'It is the current profile.\n' : `To use it: --profile ${name}, or cdn profiles use ${name}.\n`,
    )
  const winner = accountVariables.find((key) => env[key])
  if (winner)
    await err.write(`cdn: warning: ${winner} is set and takes precedence, unless --profile ${name} is given.\n`)
}

/**
 * Reads the addresses of a login.
 *
 * @returns the addresses that the options give, by their variables, and the address of each interface
 * @throws UsageError for an invalid address, if only one interface gets an address, or if the environment has a different address, which
 *   the user may have meant
 */
async function readAddresses({ env, err }: CommandContext, kind: Credential, options: Record<string, unknown>) {
  const addresses: Record<string, string> = {}
  const urls: string[] = []
  for (const { interface: name, publicUrl } of interfaces) {
    const given = options[addressField(name)]
    const url = typeof given === 'string' ? given : publicUrl
    const variable = addressVariable(name)
    // The key of a private platform is never sent to the public one by omission.
    if (typeof given !== 'string' && interfaces.some((other) => options[addressField(other.interface)] !== undefined))
      throw new UsageError(
        `Missing --${name}-url: the ${kind} would also be saved for the public platform. To confirm this: --${name}-url ${publicUrl}`,
      )
    const { protocol, hostname, href } = profiles.checkAddress(url, `--${name}-url`)
    urls.push(url)
    if (typeof given === 'string') addresses[variable] = given
    if (protocol === 'http:' && !/^(localhost|\[::1\]|127\..*)$/.test(hostname))
      await err.write(`cdn: warning: --${name}-url is not encrypted: the credential can be read on the way.\n`)
    const other = env[variable] && profiles.checkAddress(env[variable], variable).href
    if (other && other !== href)
      throw new UsageError(
        `${variable} is ${other}, but the ${kind} would be saved for ${url}. Give --${name}-url "$${variable}", or unset ${variable}.`,
      )
  }
  return { addresses, urls }
}

type Credential = 'API key' | 'bearer token'

function schemeOf(credential: Credential): SecurityScheme {
  const kind = credential === 'API key' ? 'key' : 'bearer'
  return assertDefined(contracts.management.schemes.find((entry) => entry.kind === kind))
}

/**
 * Checks a credential with a read that has no required parameter. Prefers a read that needs no scope. Ignores the body of the
 * response: the status is enough, and the body may be long.
 *
 * @param sources where the credential comes from; the command's target by default
 * @throws CommandError if no operation can check the credential; the errors of `send`
 */
async function sendCheck(context: CommandContext, credential: Credential, sources?: SettingSources): Promise<void> {
  const { areas, operations } = contracts.management
  const scheme = schemeOf(credential).name
  const reads = operations.filter(
    ({ effect, schemes, parameters }) =>
      effect === 'read' && schemes.includes(scheme) && !parameters.some(({ required }) => required),
  )
  const inOrder = areas.flatMap((area) => reads.filter((read) => read.area === area.name))
  const operation = inOrder.find(({ scopes }) => scopes.length === 0) ?? inOrder[0]
  if (!operation) throw new CommandError(`The ${credential} cannot be checked: the contract has no read that takes it.`)
  const { platform } = context
  const options: typeof platform.options = (name, schemes) => platform.options(name, schemes, sources)
  const { send } = await import('../operations/send.ts')
  const values = { path: {}, query: {}, headers: {} }
  const { data } = await send({ ...context, platform: { ...platform, options } }, operation, values, 'stream')
  if (data instanceof ReadableStream) await data.cancel()
}

async function readCredential(context: CommandContext, kind: string): Promise<string> {
  if (context.stdin().isTTY) return askLine(context, `${kind} (not shown): `, true)
  const text = await readText(addAbortSignal(context.signal, context.stdin()))
  if (text.trim() !== '') return text
  throw new UsageError(`Missing ${kind} on standard input. Pipe it in, or run the command on a terminal.`)
}

async function status(context: CommandContext, isChecked: boolean): Promise<number> {
  const { env, platform, output } = context
  const target = await platform.target()
  const credential = credentialOf(settingsOf(target, 'management').get)
  const addresses: Record<string, string> = {}
  for (const { interface: name } of interfaces) addresses[addressField(name)] = (await platform.address(name)).href
  const accepted = isChecked && credential !== null ? await isAccepted(context, credential) : undefined
  await output.value({
    source: target.profile === undefined ? 'the environment' : `profile ${target.profile}`,
    profile: target.profile ?? null,
    kind: credential,
    ...addresses,
    file: profiles.profileFile(env),
    profiles: Object.keys((await profiles.readProfiles(env)).profiles),
    ...(accepted !== undefined && { accepted }),
  })
  return credential === null || accepted === false ? cliExitCodes.credentials : cliExitCodes.done
}

async function isAccepted(context: CommandContext, credential: Credential): Promise<boolean> {
  try {
    await sendCheck(context, credential)
    return true
  } catch (error) {
    if (isNamed(error, 'ApiError') && (error.status === 401 || error.status === 403)) return false
    throw error
  }
}

async function logout({ env, err, profile }: CommandContext): Promise<void> {
  let removed = ''
  await profiles.changeProfiles(env, (known) => {
    removed = profile ?? (env['CDN_PROFILE'] || known.current)
    profiles.findProfile(known, removed)
    const { [removed]: _, ...others } = known.profiles
    return { current: known.current === removed ? profiles.defaultProfile : known.current, profiles: others }
  })
  await err.write(`The profile ${removed} is removed.\n`)
}

async function list({ env, output }: CommandContext): Promise<void> {
  const known = await profiles.readProfiles(env)
  const chosen = env['CDN_PROFILE'] || known.current
  const rows = Object.entries(known.profiles).map(([name, settings]) => {
    const addresses = interfaces.flatMap(({ interface: target }) => {
      const variable = addressVariable(target)
      const address = settings[variable]
      // An address that a user wrote into the file may contain a password, which must not be printed.
      if (address !== undefined) profiles.checkAddress(address, `${variable} of the profile ${JSON.stringify(name)}`)
      return address === undefined ? [] : [[addressField(target), address]]
    })
    const credential = credentialOf((variable) => settings[variable])
    return { name, current: name === chosen, kind: credential, ...Object.fromEntries(addresses) }
  })
  const fields = ['name', 'current', 'kind', ...interfaces.map((each) => addressField(each.interface))]
  await output.records(rows, { fields, empty: 'No profile is saved: cdn auth login saves one.' })
}

function addressField(name: string): string {
  return `${camelCase(name)}Url`
}

function credentialOf(get: (variable: string) => string | undefined): Credential | null {
  const [key, token] = accountVariables
  return get(key) ? 'API key' : get(token) ? 'bearer token' : null
}
