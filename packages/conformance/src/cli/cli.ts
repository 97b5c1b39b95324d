import { listenForInterruption } from '@cdn/kit/interruption'
import { reasonOf, SetupError, SuiteConfigurationError } from '../core/failure.ts'
import { writeBaseline } from '../expectations/baseline.ts'
import { toMatrix, writeReports } from '../report/index.ts'
import { cellLine, withoutWorkflowCommands } from '../report/text.ts'
import { toJsonList, toTextList } from './list.ts'
import { parseRunOptions } from './options.ts'
import { appendJobSummary, toAnnotations } from './progress/github.ts'
import { createProgressLine, type ProgressStream } from './progress/progress.ts'
import { run } from './run.ts'

const usage = `Usage:
  conformance run --target mock|emulator|live [options]   run the checks and write the reports
  conformance list [--json]                               list requirements and their checks

Options of run:
  --management-url URL, --logging-url URL   base URLs of the live platform (or CDN_MANAGEMENT_URL, CDN_LOGGING_URL)
  --fixtures FILE                           resources that a live run may use (or CDN_FIXTURES)
  --allow write,destructive,burst           effects that a live run may have; read only by default
  --interface NAME                          check this interface; repeatable; management and logging by default. For an
                                            imported one, a live run reads the base URL from CDN_NAME_URL
  --source spec|supplement                  run only checks of requirements from this source
  --basis spec|supplement                   run only checks that rely on this source for their observations
  --known-failing FILE                      expected failures, [{"id", "reason"}]; an entry that passes is an error
  --baseline FILE                           earlier observations; changes are reported as drift
  --fail-on drift                           fail the run on drift
  --adopt FILE                              write this run's observations as a baseline for later runs
  --require all|spec|LIST                   fail the run if any of these requirements is undecided
  --budget N                                maximum number of requests; the remaining checks are skipped
  --out DIR                                 folder for the reports; reports/<target> by default

Exit codes: 0 conformant, 1 not, 2 configuration or suite error, or nothing ran, 130 interrupted.
`

export interface Streams {
  readonly out: ProgressStream
  readonly err: ProgressStream
}

/**
 * Runs the command line.
 *
 * @param args arguments, without the program's name
 * @returns the exit code; `usage` explains it
 */
export async function runConformance(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  streams: Streams,
): Promise<number> {
  const isInWorkflow = env['GITHUB_ACTIONS'] === 'true'
  const { out, err } = isInWorkflow ? { out: inert(streams.out), err: inert(streams.err) } : streams
  try {
    const [command, ...rest] = args
    switch (command) {
      case 'run':
        return await runCommand(rest, env, { out, err }, isInWorkflow ? streams.out : undefined)
      case 'list':
        out.write(isJson(rest) ? toJsonList() : toTextList())
        return 0
      case undefined:
      case '--help':
      case '-h':
        out.write(usage)
        return command === undefined ? 2 : 0
      default:
        throw new SuiteConfigurationError(`Unknown command ${JSON.stringify(command)}; expected run or list.`)
    }
  } catch (error) {
    // A wrong configuration is reported in one sentence. Any other error is a bug of the suite, and the message says so.
    const ours = error instanceof SuiteConfigurationError ? '' : 'Internal error: '
    const sentences =
      error instanceof SetupError ? error.problems : [error instanceof Error ? error.message : String(error)]
    for (const sentence of sentences) err.write(`conformance: ${ours}${cellLine(sentence)}\n`)
    return 2
  }
}

/** Wraps a stream of a job of GitHub Actions, so that no text of a target becomes a command of the workflow. */
function inert(stream: ProgressStream): ProgressStream {
  return { write: (text) => stream.write(withoutWorkflowCommands(text)) }
}

/** @param annotations the stream for annotations, in a job of GitHub Actions */
async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { out, err }: Streams,
  annotations?: ProgressStream,
): Promise<number> {
  const options = parseRunOptions(args, env)
  const progress = createProgressLine(err)
  const say = (sentence: string) => {
    progress.clear()
    err.write(`conformance: ${cellLine(sentence)}\n`)
  }
  const interruption = listenForInterruption(() => say('Interrupted: stopping the checks and undoing their writes.'))
  try {
    const { signal } = interruption
    const report = await run(options, { signal, onCheck: progress.show, onNotice: say })
    progress.clear()
    await writeReports(report, options.out)
    // The observations of a run that ended early are incomplete.
    if (options.adopt !== undefined && report.status === 'complete') await writeBaseline(options.adopt, report)
    const color = out.isTTY === true && !env['NO_COLOR']
    out.write(`${toMatrix(report, { color })}\nReport: ${options.out}/index.html\n`)
    annotations?.write(toAnnotations(report))
    if (env['GITHUB_STEP_SUMMARY']) {
      await appendJobSummary(report, env['GITHUB_STEP_SUMMARY']).catch((error) =>
        say(`The job summary cannot be written: ${reasonOf(error)}.`),
      )
    }
    return report.exitCode
  } finally {
    progress.clear()
    interruption.release()
  }
}

function isJson(args: readonly string[]): boolean {
  const strange = args.find((arg) => arg !== '--json')
  if (strange) throw new SuiteConfigurationError(`Unknown option ${strange}; list knows --json.`)
  return args.includes('--json')
}
