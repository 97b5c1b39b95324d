import { parseArgs } from 'node:util'
import type { Ground } from '@cdn/api/contract'
import { ConfigurationError } from './failure.ts'
import type { Permission } from './plan.ts'
import type { RunConfig } from './suite/run-config.ts'

/** The options of `conformance run`, checked. */
export interface RunOptions {
  readonly config: RunConfig
  /** Folder of the reports. */
  readonly out: string
  /** Path of the list of known failures. */
  readonly knownFailing?: string
  /** Path of the baseline of observations. */
  readonly baseline?: string
  /** Whether a change against the baseline makes the run fail. */
  readonly failOnDrift: boolean
}

const targets = ['mock', 'emulator', 'live'] as const
const grounds: readonly Ground[] = ['document', 'supplement']
const permissions: readonly Permission[] = ['write', 'destructive', 'burst']

const known = {
  target: { type: 'string' },
  'management-url': { type: 'string' },
  'logging-url': { type: 'string' },
  fixtures: { type: 'string' },
  allow: { type: 'string' },
  ground: { type: 'string' },
  through: { type: 'string' },
  'known-failing': { type: 'string' },
  baseline: { type: 'string' },
  'fail-on': { type: 'string' },
  budget: { type: 'string' },
  out: { type: 'string' },
} as const

/**
 * Reads the options of `conformance run`.
 *
 * @param args what stands after `run`
 * @param env `CDN_MANAGEMENT_URL`, `CDN_LOGGING_URL` and `CDN_FIXTURES` stand in for options that are absent on `live`
 * @throws ConfigurationError in one sentence for anything unknown, contradictory or missing
 */
export function parseRunOptions(args: readonly string[], env: NodeJS.ProcessEnv): RunOptions {
  const values = parse(args)
  const target = oneOf('--target', values.target ?? missing('--target', targets), targets)
  const config: RunConfig = {
    target,
    allow: listOf('--allow', values.allow, permissions),
    ...(values.ground !== undefined && { ground: oneOf('--ground', values.ground, grounds) }),
    ...(values.through !== undefined && { through: oneOf('--through', values.through, grounds) }),
    ...(values.budget !== undefined && { budget: count('--budget', values.budget) }),
    ...(target === 'live' ? liveOptions(values, env) : withoutLiveOptions(target, values)),
  }
  if (config.ground === 'supplement' && config.through === 'document') {
    throw new ConfigurationError(
      '--ground supplement with --through document selects nothing: what the supplement says is seen through it.',
    )
  }
  if (values['fail-on'] !== undefined) {
    oneOf('--fail-on', values['fail-on'], ['drift'])
    if (values.baseline === undefined)
      throw new ConfigurationError('--fail-on drift needs --baseline: without one nothing can drift.')
  }
  return {
    config,
    out: values.out ?? `reports/${target}`,
    ...(values['known-failing'] !== undefined && { knownFailing: values['known-failing'] }),
    ...(values.baseline !== undefined && { baseline: values.baseline }),
    failOnDrift: values['fail-on'] !== undefined,
  }
}

type Values = { -readonly [name in keyof typeof known]?: string }

function parse(args: readonly string[]): Values {
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true })
  const values: Values = {}
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new ConfigurationError(`Unexpected ${JSON.stringify(token.value)}; options start with --.`)
    if (token.kind !== 'option') continue
    if (!(token.name in known)) {
      throw new ConfigurationError(
        `Unknown option ${token.rawName}; known are ${Object.keys(known)
          .map((name) => `--${name}`)
          .join(', ')}.`,
      )
    }
    const name = token.name as keyof typeof known
    if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))) {
      throw new ConfigurationError(`${token.rawName} needs a value.`)
    }
    if (values[name] !== undefined) throw new ConfigurationError(`${token.rawName} is given twice.`)
    values[name] = token.value
  }
  return values
}

function liveOptions(values: Values, env: NodeJS.ProcessEnv) {
  return {
    managementUrl: url('--management-url', values['management-url'] ?? env['CDN_MANAGEMENT_URL'], 'CDN_MANAGEMENT_URL'),
    loggingUrl: url('--logging-url', values['logging-url'] ?? env['CDN_LOGGING_URL'], 'CDN_LOGGING_URL'),
    fixtures: required('--fixtures', values.fixtures ?? env['CDN_FIXTURES'], 'CDN_FIXTURES'),
  }
}

function withoutLiveOptions(target: string, values: Values): Record<string, never> {
  const own = ['management-url', 'logging-url', 'fixtures', 'allow'] as const
  const given = own.find((name) => values[name] !== undefined)
  if (given) throw new ConfigurationError(`--${given} is for --target live; the target ${target} brings its own.`)
  const filter = (['ground', 'through'] as const).find((name) => values[name] !== undefined)
  if (target === 'mock' && filter)
    throw new ConfigurationError(`--${filter} is for the emulator and live; the mock has checks of its own.`)
  return {}
}

function required(option: string, value: string | undefined, variable: string): string {
  if (!value) throw new ConfigurationError(`--target live needs ${option} or the environment variable ${variable}.`)
  return value
}

function url(option: string, value: string | undefined, variable: string): string {
  const text = required(option, value, variable)
  const parsed = URL.parse(text)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new ConfigurationError(
      `${option} must be an http or https URL such as https://api.example, not ${JSON.stringify(text)}.`,
    )
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new ConfigurationError(`${option} must be a plain base URL, without credentials, query or fragment.`)
  }
  return parsed.href
}

function count(option: string, value: string): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
  if (number >= 1) return number
  throw new ConfigurationError(`${option} must be a number of requests, 1 or more, not ${JSON.stringify(value)}.`)
}

function missing(option: string, allowed: readonly string[]): never {
  throw new ConfigurationError(`${option} is missing; it is one of ${allowed.join(', ')}.`)
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value)
  if (!found)
    throw new ConfigurationError(`${option} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}.`)
  return found
}

function listOf<T extends string>(option: string, value: string | undefined, allowed: readonly T[]): T[] {
  return value === undefined ? [] : value.split(',').map((part) => oneOf(option, part.trim(), allowed))
}
