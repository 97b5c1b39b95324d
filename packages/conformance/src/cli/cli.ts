import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCommand, eachOf, once, oneOf, runProgram, UsageError } from '@cdn/kit/command-line'
import { listenForInterruption } from '@cdn/kit/interruption'
import { dayMs, hourMs } from '@cdn/kit/time'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { writeReports } from '../memory/conclude.ts'
import { readHistory, statusOf } from '../memory/history.ts'
import { type Gh, syncIssues } from '../memory/issues.ts'
import { messagesOf, postMessages, readWebhook } from '../memory/message.ts'
import { readCase } from '../memory/stored-cases.ts'
import type { Report } from '../report/model.ts'
import { toMatrix } from '../report/terminal.ts'
import { cellLine, withoutWorkflowCommands } from '../report/text.ts'
import { reasonOf, SetupError, SuiteConfigurationError } from '../run/failure.ts'
import { besideReports, orSay } from '../run/files.ts'
import { sweepLive } from '../run/open-run.ts'
import { createPlan } from '../run/plan.ts'
import { readJson } from '../run/read-json.ts'
import { writeBaseline } from '../verdict/baseline.ts'
import { explain } from './explain.ts'
import {
  type RunOptions,
  replayCommand,
  runCommand,
  sweepCommand,
  targets,
  toReplayOptions,
  toRunOptions,
  toSweepConfig,
} from './options.ts'
import { appendJobSummary, toAnnotations } from './progress/github.ts'
import { createProgressLine, type ProgressStream } from './progress/progress.ts'
import { run } from './run.ts'

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
  const { out, err } = isInWorkflow ? { out: inert(streams.out), err: inert(streams.err) } : streams
  const print = (text: string) => void out.write(text)
  const say = (sentence: string) => void err.write(`conformance: ${cellLine(sentence)}\n`)
  let code = 0
  const program = createCommand('conformance', print)
    .addHelpText('after', exitCodes)
    .addCommand(
      runCommand(print).action(async (parsed) => {
        const options = toRunOptions(parsed, env)
        const webhook = options.webhook === undefined ? undefined : await readWebhook(options.webhook, env)
        const { report } = await writeReports(await observed(options, err), options.out, linkOf(env))
        // The observations of a run that ended early are incomplete.
        if (options.adopt !== undefined && report.status === 'complete') await writeBaseline(options.adopt, report)
        const color = out.isTTY === true && !env['NO_COLOR']
        print(`${toMatrix(report, { color })}\nReport: ${options.out}/index.html\n`)
        if (isInWorkflow) streams.out.write(toAnnotations(report))
        const summary = env['GITHUB_STEP_SUMMARY']
        if (summary)
          await appendJobSummary(report, summary).catch((error) =>
            err.write(`conformance: The job summary cannot be written: ${reasonOf(error)}.\n`),
          )
        if (webhook) await postMessages(webhook, messagesOf(report), besideReports(options.out, 'webhook.json'), say)
        code = report.exitCode
      }),
    )
    .addCommand(
      replayCommand(print).action(async (file, parsed) => {
        const stored = await readCase(file)
        const result = replayResult(stored.check, await observed(toReplayOptions(stored, parsed, env), err))
        print(`${cellLine(result.sentence)}\n`)
        code = result.code
      }),
    )
    .addCommand(
      sweepCommand(print).action(async (parsed) => {
        const { signal } = new AbortController()
        const { changes, leaks } = await sweepLive(toSweepConfig(parsed, env), { signal, onNotice: say })
        for (const line of [...changes, ...leaks]) print(`${cellLine(line)}\n`)
        if (changes.length + leaks.length === 0) print('Nothing to sweep.\n')
        code = leaks.length > 0 ? 1 : 0
      }),
    )
    .addCommand(
      createCommand('status', print)
        .description('print the last complete run; exit code 1 if it is too old')
        .option('--max-age <duration>', 'maximum time since it began (default: 36h)', once(parseAge))
        .option('--target <kind>', 'mock, emulator or live (default: live)', once(oneOf(targets)))
        .option('--history <file>', 'history of the runs (default: reports/history.ndjson)', once())
        .action(async ({ history = 'reports/history.ndjson', maxAge = 36 * hourMs, target = 'live' }) => {
          const nights = await orSay('read', history, () => readHistory(history))
          const { isRecent, sentence } = statusOf(nights, target, Date.now(), maxAge)
          print(`${cellLine(sentence)}\n`)
          code = isRecent ? 0 : 1
        }),
    )
    .addCommand(
      createCommand('issues', print)
        .description(
          'open, comment and close issues on GitHub about the last run, with the program gh and its credentials',
        )
        .option(
          '--urgent <list>',
          'requirements whose first failed night opens an issue; by default the second',
          eachOf(String),
        )
        .option('--out <folder>', 'folder of the reports (default: reports/live)', once())
        .action(async ({ urgent = [], out = 'reports/live' }) => {
          const history = besideReports(out, 'history.ndjson')
          const nights = await orSay('read', history, () => readHistory(history))
          const hint = 'it is not a report of this version of the suite'
          const report = await readJson(join(out, 'report.json'), 'report', 'Report', hint)
          const own = nights.slice(0, nights.findLastIndex(({ at }) => at === report.startedAt) + 1)
          const done = await syncIssues(report, own, runGh, { urgent, link: linkOf(env) })
          print(done.map((line) => `${cellLine(line)}\n`).join('') || 'No issue changes.\n')
        }),
    )
    .addCommand(
      createCommand('explain', print)
        .description('what decides an id: its sentence, checks, cases, mutants and last outcome')
        .argument('<id>', 'a requirement or a check')
        .option('--history <file>', 'history of the runs (default: reports/history.ndjson)', once())
        .action(async (id, { history = 'reports/history.ndjson' }) => print(await explain(id, history))),
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
    // A wrong configuration is reported in one sentence. Any other error is a bug of the suite, and the message says so.
    const ours = error instanceof SuiteConfigurationError || error instanceof UsageError ? '' : 'Internal error: '
    const sentences =
      error instanceof SetupError ? error.problems : [error instanceof Error ? error.message : String(error)]
    for (const sentence of sentences) err.write(`conformance: ${ours}${cellLine(sentence)}\n`)
    return 2
  }
}

/** Parses a duration such as `36h`, `90m` or `2d`. @returns milliseconds */
function parseAge(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const unitMs = new Map(Object.entries({ m: 60_000, h: hourMs, d: dayMs })).get(unit)
  if (unitMs === undefined) throw new InvalidArgumentError('expected a duration such as 36h')
  return Number(count) * unitMs
}

/** Wraps a stream of a job of GitHub Actions, so that no text of a target becomes a command of the workflow. */
function inert(stream: ProgressStream): ProgressStream {
  return { write: (text) => stream.write(withoutWorkflowCommands(text)) }
}

/** Runs the checks with a line of progress. SIGINT and SIGTERM interrupt them. */
async function observed(options: RunOptions, err: ProgressStream): Promise<Report> {
  const progress = createProgressLine(err)
  const say = (sentence: string) => {
    progress.clear()
    err.write(`conformance: ${cellLine(sentence)}\n`)
  }
  const interruption = listenForInterruption(() =>
    say('Interrupted: stopping the checks, and sweeping what they wrote.'),
  )
  try {
    return await run(options, { signal: interruption.signal, onCheck: progress.show, onNotice: say })
  } finally {
    progress.clear()
    interruption.release()
  }
}

/** The address of the workflow run, whose artifacts have the report. */
function linkOf(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env
  return server && repository && id ? `${server}/${repository}/actions/runs/${id}` : undefined
}

/** Runs `gh`. Texts go through its standard input, never through arguments. */
const runGh: Gh = async (args, input) => {
  const child = promisify(execFile)('gh', [...args], { maxBuffer: 2 ** 28 })
  // A program that needs no input may end before it reads any.
  child.child.stdin?.on('error', () => {}).end(input ?? '')
  const { stdout } = await child.catch((error: NodeJS.ErrnoException & { stderr?: string }) => {
    throw new SuiteConfigurationError(
      `gh ${args[0]} ${args[1]} failed: ${cellLine(error.stderr || String(error.code), 300)}`,
    )
  })
  return stdout
}

/** Returns the result of a stored case: code 1 if it still fails, 0 if it passes, 2 if it could not be sent. */
function replayResult(id: string, { status, checks }: Report): { readonly code: number; readonly sentence: string } {
  const { outcome, message } = checks.find((check) => check.id === id) ?? {}
  if (status === 'interrupted') return { code: 130, sentence: 'Interrupted.' }
  if (outcome === 'pass') return { code: 0, sentence: `${id} passes now.` }
  if (outcome === 'fail') return { code: 1, sentence: `${id} still fails: ${message}` }
  const fault = checks.find((check) => check.outcome === 'error')?.message
  return { code: 2, sentence: `${id} is undecided: ${fault ?? message}` }
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
