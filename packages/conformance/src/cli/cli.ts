import { execFile } from 'node:child_process'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createCommand, once, runProgram, UsageError } from '@cdn/kit/command-line'
import { messageOf } from '@cdn/kit/error-message'
import { httpUrl } from '@cdn/kit/http-url'
import { listenForInterruption } from '@cdn/kit/interruption'
import { cleanLines } from '@cdn/kit/text'
import { dayMs, hourMs } from '@cdn/kit/time'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Case } from '../exchange/case.ts'
import { SetupError, SuiteConfigurationError } from '../exchange/failure.ts'
import { oneLine, withoutWorkflowCommands } from '../exchange/format-text.ts'
import { readJson } from '../exchange/read-json.ts'
import type { Report } from '../exchange/report-model.ts'
import { conclude, rememberIssues, rememberKilled, writeReport } from '../memory/conclude.ts'
import { type Gh, syncIssues } from '../memory/issues.ts'
import { lockMemory, unendedRun } from '../memory/lock.ts'
import { memoryFile, readMemory } from '../memory/memory.ts'
import { statusOf } from '../memory/status.ts'
import { readWebhook } from '../memory/webhook.ts'
import { terminalReport } from '../report/terminal.ts'
import { sweepLive } from '../run/open-run.ts'
import { createPlan } from '../run/plan.ts'
import { explain } from './explain.ts'
import {
  type ParsedReplay,
  parseReportUrl,
  type RunOptions,
  replayCommand,
  runCommand,
  sweepCommand,
  targetOptions,
  toRunOptions,
} from './options.ts'
import { createProgressLine, type ProgressStream } from './progress/progress.ts'
import { type RunObserver, run } from './run.ts'

const exitCodes =
  '\nExit codes: 0 conformant, 1 not, 2 configuration or suite error, or nothing ran, 130 interrupted.\n'

/**
 * Runs the command line.
 *
 * @param args arguments, without the program's name
 * @returns the exit code, which the help explains
 */
export async function runConformance(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  streams: Readonly<Record<'out' | 'err', ProgressStream>>,
): Promise<number> {
  const isInWorkflow = env['GITHUB_ACTIONS'] === 'true'
  const { out, err } = isInWorkflow ? { out: withoutCommands(streams.out), err: withoutCommands(streams.err) } : streams
  const print = (text: string) => void out.write(text)
  const say = (sentence: string) => void err.write(`conformance: ${oneLine(sentence)}\n`)
  let code = 0
  const program = createCommand('conformance', print)
    .addHelpText('after', exitCodes)
    .addCommand(
      runCommand(print).action(async (parsed) => {
        const options = toRunOptions(parsed, env)
        const { out: folder, webhook: source, webhookForm: form = 'slack', reportUrl } = options
        const webhook = source === undefined ? undefined : { url: await readWebhook(source, env), form }
        const { killedRuns, release } = await lockOf(folder)
        try {
          const onReport = (report: Report) => writeReport(report, [], folder)
          const ended = await runWithProgress(options, env, err, { onReport, killedRuns })
          const color = out.isTTY === true && !env['NO_COLOR']
          const report = await conclude(ended, {
            ...{ out: folder, webhook, say, link: reportUrl ?? linkOf(env) },
            file: `${hostname()}:${resolve(folder)}/index.html`,
            summary: env['GITHUB_STEP_SUMMARY'] || undefined,
            show: (whole) => {
              if (whole.status === 'not-started') for (const sentence of whole.problems ?? []) say(sentence)
              else print(terminalReport(whole, { color }))
            },
          })
          print(`Report: ${folder}/index.html\n`)
          code = report.exitCode
        } finally {
          release()
        }
      }),
    )
    .addCommand(
      replayCommand(print).action(async (check, parsed) => {
        const stored = await storedCase(check, parsed)
        const { check: only, seed, target } = stored
        const options = { ...targetOptions(target, parsed, env), only: [only], seed, replay: stored }
        const { killedRuns, release } = await lockOf(options.out)
        const report = await runWithProgress(options, env, err, { killedRuns }).finally(release)
        for (const sentence of [...(report.problems ?? []), ...(report.leaks ?? [])]) say(sentence)
        const result = replayResult(only, report)
        print(`${oneLine(result.sentence)}\n`)
        code = result.code
      }),
    )
    .addCommand(
      sweepCommand(print).action(async (parsed) => {
        const { signal } = new AbortController()
        const options = targetOptions('live', parsed, env)
        // A sweep would undo what a running check has just written.
        const { release } = await lockOf(options.out)
        const { changes, leaks } = await sweepLive(options, { signal, env, onNotice: say }).finally(release)
        for (const line of [...changes, ...leaks]) print(`${oneLine(line)}\n`)
        if (changes.length + leaks.length === 0) print('Nothing to sweep.\n')
        code = leaks.length > 0 ? 1 : 0
      }),
    )
    .addCommand(
      createCommand('status', print)
        .description(
          'print the newest run, and the last run with a result; exit code 1 if they differ, if the newest run is too old, or if a run was killed since',
        )
        .option('--max-age <duration>', 'maximum time since the newest run began (default: 36h)', once(parseAge))
        .option('--out <folder>', 'folder of the reports (default: reports/live)', once())
        .action(async ({ maxAge = 36 * hourMs, out: folder = 'reports/live' }) => {
          const { runs } = readMemory(memoryFile(folder))
          const { isGood, sentences } = statusOf(runs, Date.now(), maxAge)
          const unended = unendedRun(folder)
          for (const sentence of [...sentences, ...(unended ? [unended.sentence] : [])]) print(`${oneLine(sentence)}\n`)
          code = isGood && !unended?.isKilled ? 0 : 1
        }),
    )
    .addCommand(
      createCommand('issues', print)
        .description(
          'open, comment and close issues on GitHub about the last run, with the program gh and its credentials',
        )
        .option('--dry-run', 'print the issues that a first run would open, and change nothing')
        .option('--out <folder>', 'folder of the reports (default: reports/live)', once())
        .option('--report-url <url>', 'address of the report for readers of the issues', once(parseReportUrl))
        .action(async ({ dryRun: isDry = false, out: folder = 'reports/live', reportUrl }) => {
          const { runs } = readMemory(memoryFile(folder))
          const hint = 'it is not a report of this version of the suite'
          const report = await readJson(join(folder, 'report.json'), 'report', 'Report', hint)
          const own = runs.slice(0, runs.findLastIndex(({ at }) => at === report.startedAt) + 1)
          const link = reportUrl ?? linkOf(env)
          const { lines, failures, issues } = await syncIssues(report, own, runGh, { link, isDry })
          print(lines.map((text) => `${cleanLines(text)}\n`).join('') || 'No issue changes.\n')
          if (issues.size > 0) await rememberIssues(folder, report.startedAt, issues)
          for (const failure of failures) say(failure)
          code = failures.length > 0 ? 1 : 0
        }),
    )
    .addCommand(
      createCommand('explain', print)
        .description('what decides an id: its sentence, checks, cases, mutants and last outcome')
        .argument('<id>', 'a requirement or a check')
        .option('--out <folder>', 'folder of the reports (default: reports/live)', once())
        .action(async (id, { out: folder = 'reports/live' }) => print(await explain(id, folder))),
    )
    .addCommand(
      createCommand('list', print)
        .description('list requirements and their checks')
        .option('--json', 'as JSON')
        .action(({ json }) => print(listRequirements(json))),
    )
  try {
    return (await runProgram(program, args)) ?? code
  } catch (error) {
    // A wrong configuration is reported in one sentence per problem. Any other error is a bug of the suite, and the message says so.
    const ours = error instanceof SuiteConfigurationError || error instanceof UsageError ? '' : 'Internal error: '
    const sentences = error instanceof SetupError ? error.problems : [messageOf(error)]
    for (const sentence of sentences) err.write(`conformance: ${ours}${oneLine(sentence)}\n`)
    return 2
  }
}

/**
 * Finds the stored case of a check in the memory of a target.
 *
 * @throws SuiteConfigurationError in one sentence if the check has none
 */
async function storedCase(check: string, { target = 'live', out = `reports/${target}` }: ParsedReplay): Promise<Case> {
  const { cases } = readMemory(memoryFile(out))
  const stored = cases.find((one) => one.check === check && one.target === target)
  if (stored) return stored
  const known = cases.map((one) => one.check).join(', ') || 'no check'
  throw new SuiteConfigurationError(`${memoryFile(out)} has no stored case of ${check}; it has cases of ${known}.`)
}

/** Parses a duration such as `36h`, `90m` or `2d`. @returns milliseconds */
function parseAge(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const unitMs = new Map(Object.entries({ m: 60_000, h: hourMs, d: dayMs })).get(unit)
  if (unitMs === undefined) throw new InvalidArgumentError('expected a duration such as 36h, 90m or 2d')
  return Number(count) * unitMs
}

/** Wraps a stream of a job of GitHub Actions, so that no text of a target becomes a command of the workflow. */
function withoutCommands(stream: ProgressStream): ProgressStream {
  return { write: (text) => stream.write(withoutWorkflowCommands(text)) }
}

async function runWithProgress(
  options: RunOptions,
  env: NodeJS.ProcessEnv,
  err: ProgressStream,
  more: Pick<RunObserver, 'onReport' | 'killedRuns'>,
): Promise<Report> {
  const progress = createProgressLine(err)
  const say = (sentence: string) => {
    progress.clear()
    err.write(`conformance: ${oneLine(sentence)}\n`)
  }
  const interruption = listenForInterruption(() =>
    say('Interrupted: stopping the checks, and sweeping what they wrote.'),
  )
  try {
    return await run(options, { signal: interruption.signal, env, onCheck: progress.show, onNotice: say, ...more })
  } finally {
    progress.clear()
    interruption.release()
  }
}

/** Variables of CI systems with the address of the job: GitLab, Jenkins, CircleCI, Buildkite. */
const jobVariables = ['CI_JOB_URL', 'BUILD_URL', 'CIRCLE_BUILD_URL', 'BUILDKITE_BUILD_URL']

/** The address of the job of a CI system; undefined elsewhere. */
function linkOf(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env
  if (server && repository && id) return `${server}/${repository}/actions/runs/${id}`
  return jobVariables.flatMap((name) => env[name] ?? []).find(httpUrl)
}

/**
 * Locks the memory of a folder, and adds a killed run to it. If the lock cannot be written, the reports cannot be written either, and the
 * run says so at its end.
 *
 * @returns a function that releases the lock, and the `runId` of each killed run
 * @throws SuiteConfigurationError in one sentence if another run holds the lock
 */
async function lockOf(out: string) {
  try {
    const { killed, killedRuns, release } = lockMemory(out)
    if (killed) await rememberKilled(out).catch(() => {})
    return { killedRuns, release }
  } catch (error) {
    if (error instanceof SuiteConfigurationError) throw error
    return { killedRuns: [], release: () => {} }
  }
}

/** Runs `gh`. Bodies of issues and comments go through its standard input, not through arguments. */
const runGh: Gh = async (args, input) => {
  const child = promisify(execFile)('gh', [...args], { maxBuffer: 2 ** 28 })
  // A program that needs no input may end before it reads any.
  child.child.stdin?.on('error', () => {}).end(input ?? '')
  const { stdout } = await child.catch((error: NodeJS.ErrnoException & { stderr?: string }) => {
    throw new SuiteConfigurationError(
      `gh ${args[0]} ${args[1]} failed: ${oneLine(error.stderr || String(error.code), 300)}`,
    )
  })
  return stdout
}

/**
 * Returns the sentence and the exit code of a replay: 1 if the case still fails or an item could not be removed, 0 if the case passes, 2 if
 * undecided, 130 if interrupted.
 */
function replayResult(
  id: string,
  { status, checks, leaks = [] }: Report,
): { readonly code: number; readonly sentence: string } {
  const { outcome, message } = checks.find((check) => check.id === id) ?? {}
  if (status === 'interrupted') return { code: 130, sentence: 'Interrupted.' }
  if (outcome === 'pass') return { code: leaks.length > 0 ? 1 : 0, sentence: `${id} passes now.` }
  if (outcome === 'fail') return { code: 1, sentence: `${id} still fails: ${message}` }
  const fault = checks.find((check) => check.outcome === 'error')?.message
  return { code: leaks.length > 0 ? 1 : 2, sentence: `${id} is undecided: ${fault ?? message}` }
}

function listRequirements(asJson = false): string {
  const { checks, requirements } = createPlan()
  const rows = requirements.map(({ id, section, source, unchecked }) => ({
    requirement: id,
    section,
    source,
    checks: checks
      .filter((check) => check.requirements.includes(id))
      .map((check) => ({ id: check.id, source: check.source, basis: check.basis, effect: check.effect })),
    ...(unchecked !== undefined && { unchecked }),
  }))
  if (asJson) return `${JSON.stringify(rows, null, 2)}\n`
  const lines = rows.flatMap(({ requirement, section, source, checks, unchecked }) => [
    `${requirement}  (${section}, ${source})`,
    ...checks.map(({ id, basis, effect }) => `    ${id}  through ${basis}, ${effect}`),
    ...(unchecked === undefined ? [] : [`    unchecked: ${unchecked}`]),
  ])
  return `${lines.join('\n')}\n`
}
