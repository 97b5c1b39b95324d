import { accumulate, createCommand, once, oneOf, wholeNumber } from '@cdn/kit/command-line'
import { httpUrl } from '@cdn/kit/http-url'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Case } from '../exchange/case.ts'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import type { Permission, RunConfig } from '../exchange/run-types.ts'
import { messageForms } from '../memory/message.ts'

type Parsed = ReturnType<ReturnType<typeof runCommand>['opts']>
export type ParsedReplay = ReturnType<ReturnType<typeof replayCommand>['opts']>
type ParsedTarget = Partial<Omit<ParsedReplay, 'target'>>

/** Valid options of `conformance run`. The help texts in `runCommand` explain them. */
export interface RunOptions
  extends RunConfig,
    Pick<Parsed, 'expect' | 'failOn' | 'like' | 'webhook' | 'webhookForm' | 'reportUrl' | 'require' | 'timeLimit'> {
  /** Folder of the reports; the memory is a file next to it. */
  readonly out: string
}

export const targets: readonly Case['target'][] = ['mock', 'emulator', 'live']
const permissions: readonly Permission[] = ['write', 'destructive', 'burst', 'wrong-keys']

/** Creates a command with the address and the fixtures of a live target. `write` prints help. */
function liveCommand(name: string, write: (text: string) => void) {
  return createCommand(name, write)
    .option('--management-url <url>', 'live: base URL of the management interface (or CDN_MANAGEMENT_URL)', once())
    .option('--logging-url <url>', 'live: base URL of the logging interface (or CDN_LOGGING_URL)', once())
    .option('--fixtures <file>', 'live: resources that the run may use (or CDN_FIXTURES)', once())
    .option('--out <folder>', 'folder of the reports (default: reports/TARGET)', once())
}

function targetCommand(name: string, write: (text: string) => void) {
  return liveCommand(name, write)
    .option(
      '--allow <list>',
      'live: effects besides reading: write, destructive, burst, wrong-keys',
      accumulate(oneOf(permissions)),
    )
    .option(
      '--budget <n>',
      'maximum number of requests of the preflight and the checks; the remaining checks are skipped',
      once(wholeNumber(1, 1e9)),
    )
}

export function runCommand(write: (text: string) => void) {
  return targetCommand('run', write)
    .description('run the checks and write the reports')
    .option('--target <kind>', 'mock, emulator or live', once(oneOf(targets)))
    .option(
      '--only <list>',
      'only these checks, or the checks of these requirements; * is a wildcard',
      accumulate(String),
    )
    .option(
      '--seed <n>',
      'seed of the random cases (default: the date, such as 20260617)',
      once(wholeNumber(0, 2 ** 31 - 1)),
    )
    .option(
      '--time-limit <minutes>',
      'time after which the checks end; the report has the results until then (default: 10)',
      once(wholeNumber(1, 600)),
    )
    .option(
      '--expect <file>',
      'what the run is expected to show: [{"id", "is": "fails", "flaky" or "shows", "reason"}]',
      once(),
    )
    .option(
      '--fail-on <sources>',
      'fail a live run on these, too: supplement, robustness, unspecified; by default only on the spec',
      accumulate(oneOf(['supplement', 'robustness', 'unspecified'] as const)),
    )
    .option(
      '--like <file>',
      'emulator: report.json of a live run; the emulator then behaves as that platform, and the report compares the two',
      once(),
    )
    .option('--require <list>', 'fail the run if a requirement is undecided: all, spec or ids', accumulate(String))
    .option('--webhook <source>', 'post a digest of the run to this address: env:NAME or file:PATH', once())
    .option(
      '--report-url <url>',
      'address of the report for readers of the message (default: that of the job in GitHub Actions, GitLab, Jenkins, CircleCI, Buildkite)',
      once(parseReportUrl),
    )
    .option(
      '--webhook-form <form>',
      'slack (default; also Mattermost and Rocket.Chat), discord or teams',
      once(oneOf(messageForms)),
    )
}

export function replayCommand(write: (text: string) => void) {
  return targetCommand('replay', write)
    .description('send the stored case of a failed check again; exit code 1 if it still fails, 0 if it passes')
    .argument('<check>', 'id of the check')
    .option('--target <kind>', 'mock, emulator or live (default: live)', once(oneOf(targets)))
}

export function sweepCommand(write: (text: string) => void) {
  return liveCommand('sweep', write).description(
    'bring the fixtures of a live target into their declared state, and delete what runs left; exit code 1 if something stays',
  )
}

/**
 * Checks the options of `conformance run`.
 *
 * @param env the environment. `CDN_MANAGEMENT_URL`, `CDN_LOGGING_URL` and `CDN_FIXTURES` replace omitted options of
 *   `live`
 * @throws SuiteConfigurationError in one sentence for a contradiction or a missing option
 */
export function toRunOptions(options: Parsed, env: NodeJS.ProcessEnv): RunOptions {
  const { target } = options
  if (target === undefined) fail(`--target is missing: expected one of ${targets.join(', ')}.`)
  if (options.like !== undefined && target !== 'emulator') fail(`--like is for --target emulator only.`)
  return { ...options, ...targetOptions(target, options, env) }
}

/**
 * Checks the address, the fixtures and the limits of a run.
 *
 * @throws SuiteConfigurationError in one sentence for a contradiction or a missing option
 */
export function targetOptions(target: Case['target'], options: ParsedTarget, env: NodeJS.ProcessEnv) {
  const { managementUrl, loggingUrl, fixtures, allow, budget, out = `reports/${target}` } = options
  if (target !== 'live') {
    const live = { 'management-url': managementUrl, 'logging-url': loggingUrl, fixtures, allow }
    const flag = Object.entries(live).find(([, value]) => value !== undefined)?.[0]
    if (flag !== undefined) fail(`--${flag} is for --target live only; the target ${target} has its own.`)
    return { target, budget, out }
  }
  const required = (option: string, value: string | undefined, variable: string) =>
    value || env[variable] || fail(`--target live needs ${option} or the environment variable ${variable}.`)
  return {
    ...{ target, budget, out, allow },
    managementUrl: url('--management-url', required('--management-url', managementUrl, 'CDN_MANAGEMENT_URL')),
    loggingUrl: url('--logging-url', required('--logging-url', loggingUrl, 'CDN_LOGGING_URL')),
    fixtures: required('--fixtures', fixtures, 'CDN_FIXTURES'),
  }
}

/**
 * Parses a base URL. A user, a password, a query or a fragment may be secret, so the message about them does not show the URL. A text that
 * is not an http URL may have them, too: `user:password@host` has the scheme `user:`.
 */
function url(option: string, text: string): string {
  if (/[@?#]/.test(text)) fail(`${option} must be a plain base URL, without credentials, query or fragment.`)
  return (
    httpUrl(text)?.href ??
    fail(`${option} must be an http or https URL such as https://api.example, not ${JSON.stringify(text)}.`)
  )
}

export function parseReportUrl(text: string): string {
  if (httpUrl(text)) return text
  throw new InvalidArgumentError('expected an http or https URL')
}

function fail(sentence: string): never {
  throw new SuiteConfigurationError(sentence)
}
