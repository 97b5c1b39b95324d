import { parseArgs } from 'node:util'
import { contracts, type InterfaceName, type Source } from '@cdn/api/contract'
import { addressVariable } from '@cdn/kit/address-variable'
import { platformInterfaces } from '../checks/resources.ts'
import { SuiteConfigurationError } from '../core/failure.ts'
import type { Permission } from '../core/plan.ts'
import type { RunConfig } from '../runner/suite/run-config.ts'

/** The options of `conformance run`, checked. */
export interface RunCommandOptions {
  readonly config: RunConfig
  /** Folder of the reports. */
  readonly out: string
  /** Path of the list of expected failures. */
  readonly knownFailing?: string
  /** Path of the baseline of observations. */
  readonly baseline?: string
  /** Path for a baseline of this run's observations. */
  readonly adopt?: string
  /** Whether a difference from the baseline fails the run. */
  readonly failOnDrift: boolean
  /** Requirements that must pass or fail in this run; none by default. */
  readonly require?: 'all' | 'spec' | readonly string[]
}

const targets = ['mock', 'emulator', 'live'] as const
const sources: readonly Source[] = ['spec', 'supplement']
const permissions: readonly Permission[] = ['write', 'destructive', 'burst']

const known = [
  'target',
  'management-url',
  'logging-url',
  'fixtures',
  'allow',
  'interface',
  'source',
  'basis',
  'known-failing',
  'baseline',
  'fail-on',
  'adopt',
  'require',
  'budget',
  'out',
] as const
type Name = (typeof known)[number]

/**
 * Parses the options of `conformance run`.
 *
 * @param args the arguments after `run`
 * @param env the environment. `CDN_MANAGEMENT_URL`, `CDN_LOGGING_URL` and `CDN_FIXTURES` replace omitted options of
 *   `live`. `CDN_NAME_URL` is the address of the imported interface NAME
 * @throws ConfigurationError in one sentence for an unknown option, a contradiction or a missing option
 */
export function parseRunOptions(args: readonly string[], env: NodeJS.ProcessEnv): RunCommandOptions {
  const values = parse(args)
  const target = oneOf('--target', values.target ?? missing('--target', targets), targets)
  const config: RunConfig = {
    target,
    allow: listOf('--allow', values.allow, permissions),
    ...(values.interface !== undefined && { interfaces: interfacesOf(target, values.interface, env) }),
    ...(values.source !== undefined && { source: oneOf('--source', values.source, sources) }),
    ...(values.basis !== undefined && { basis: oneOf('--basis', values.basis, sources) }),
    ...(values.budget !== undefined && { budget: count('--budget', values.budget) }),
    ...(target === 'live' ? liveOptions(values, env) : withoutLiveOptions(target, values)),
  }
  if (config.source === 'supplement' && config.basis === 'spec') {
    throw new SuiteConfigurationError(
      '--source supplement with --basis spec selects nothing: a requirement of the supplement always has the basis supplement.',
    )
  }
  if (values['fail-on'] !== undefined) {
    oneOf('--fail-on', values['fail-on'], ['drift'])
    if (values.baseline === undefined)
      throw new SuiteConfigurationError('--fail-on drift needs --baseline to compare with.')
  }
  return {
    config,
    out: values.out ?? `reports/${target}`,
    ...(values['known-failing'] !== undefined && { knownFailing: values['known-failing'] }),
    ...(values.baseline !== undefined && { baseline: values.baseline }),
    ...(values.adopt !== undefined && { adopt: values.adopt }),
    failOnDrift: values['fail-on'] !== undefined,
    ...(values.require !== undefined && { require: requireOf(values.require) }),
  }
}

function requireOf(value: string): NonNullable<RunCommandOptions['require']> {
  if (value === 'all' || value === 'spec') return value
  const ids = value.split(',').map((id) => id.trim())
  if (ids.every((id) => /^[\w.-]+\.[\w.-]+$/.test(id))) return ids
  throw new SuiteConfigurationError(`--require must be all, spec or ids of requirements, not ${JSON.stringify(value)}.`)
}

type Values = { [name in Name]?: string }

function parse(args: readonly string[]): Values {
  const options = Object.fromEntries(known.map((name) => [name, { type: 'string' } as const]))
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const values: Values = {}
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new SuiteConfigurationError(`Unexpected ${JSON.stringify(token.value)}; options start with --.`)
    if (token.kind !== 'option') continue
    const { name } = token
    if (!isKnown(name)) {
      const all = known.map((one) => `--${one}`).join(', ')
      throw new SuiteConfigurationError(`Unknown option ${token.rawName}; known are ${all}.`)
    }
    if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))) {
      throw new SuiteConfigurationError(`${token.rawName} needs a value.`)
    }
    if (name === 'interface') values[name] = [values[name] ?? [], token.value].flat().join(',')
    else if (values[name] !== undefined) throw new SuiteConfigurationError(`${token.rawName} is given twice.`)
    else values[name] = token.value
  }
  return values
}

function isKnown(name: string): name is Name {
  return known.some((one) => one === name)
}

function liveOptions(values: Values, env: NodeJS.ProcessEnv) {
  return {
    managementUrl: url('--management-url', values['management-url'] ?? env['CDN_MANAGEMENT_URL'], 'CDN_MANAGEMENT_URL'),
    loggingUrl: url('--logging-url', values['logging-url'] ?? env['CDN_LOGGING_URL'], 'CDN_LOGGING_URL'),
    ...importedUrls(env),
    fixtures: required('--fixtures', values.fixtures ?? env['CDN_FIXTURES'], 'CDN_FIXTURES'),
  }
}

/** Parses `--interface`. The emulator serves no imported interface, and a live run needs the address of each. */
function interfacesOf(target: RunConfig['target'], value: string, env: NodeJS.ProcessEnv): InterfaceName[] {
  const served =
    target === 'emulator' ? platformInterfaces : Object.values(contracts).map((contract) => contract.interface)
  const interfaces = listOf('--interface', value, served)
  for (const name of interfaces)
    if (target === 'live' && !platformInterfaces.includes(name) && !env[addressVariable(name)])
      throw new SuiteConfigurationError(`--interface ${name} needs the environment variable ${addressVariable(name)}.`)
  return interfaces
}

/** Returns the addresses of imported interfaces. A live run never uses the public server that a contract names. */
function importedUrls(env: NodeJS.ProcessEnv): Pick<RunConfig, 'importedUrls'> {
  const names = Object.values(contracts).flatMap(({ interface: name, source }) => (source === 'spec' ? [] : [name]))
  const urls = names.flatMap((name) => {
    const variable = addressVariable(name)
    return env[variable] ? [[name, url(variable, env[variable], variable)]] : []
  })
  return urls.length > 0 ? { importedUrls: Object.fromEntries(urls) } : {}
}

function withoutLiveOptions(target: string, values: Values): Record<string, never> {
  const liveOnly = ['management-url', 'logging-url', 'fixtures', 'allow'] as const
  const given = liveOnly.find((name) => values[name] !== undefined)
  if (given)
    throw new SuiteConfigurationError(`--${given} is for --target live only; the target ${target} has its liveOnly.`)
  const filter = (['source', 'basis'] as const).find((name) => values[name] !== undefined)
  if (target === 'mock' && filter)
    throw new SuiteConfigurationError(`--${filter} is for the targets emulator and live; the mock has its own checks.`)
  if (target === 'mock' && values.adopt !== undefined)
    throw new SuiteConfigurationError('--adopt is for the targets emulator and live; the mock makes up its answers.')
  return {}
}

function required(option: string, value: string | undefined, variable: string): string {
  if (!value)
    throw new SuiteConfigurationError(`--target live needs ${option} or the environment variable ${variable}.`)
  return value
}

function url(option: string, value: string | undefined, variable: string): string {
  const text = required(option, value, variable)
  const parsed = URL.parse(text)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new SuiteConfigurationError(
      `${option} must be an http or https URL such as https://api.example, not ${JSON.stringify(text)}.`,
    )
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new SuiteConfigurationError(`${option} must be a plain base URL, without credentials, query or fragment.`)
  }
  return parsed.href
}

function count(option: string, value: string): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
  if (number >= 1) return number
  throw new SuiteConfigurationError(`${option} must be a number of requests, 1 or more, not ${JSON.stringify(value)}.`)
}

function missing(option: string, allowed: readonly string[]): never {
  throw new SuiteConfigurationError(`${option} is missing; it is one of ${allowed.join(', ')}.`)
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const match = allowed.find((candidate) => candidate === value)
  if (!match)
    throw new SuiteConfigurationError(`${option} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}.`)
  return match
}

function listOf<T extends string>(option: string, value: string | undefined, allowed: readonly T[]): T[] {
  return value === undefined ? [] : value.split(',').map((part) => oneOf(option, part.trim(), allowed))
}
