import { createCommand, runProgram, UsageError } from '@cdn/kit/command-line'
import { listenForInterruption } from '@cdn/kit/interruption'
import { reasonOf, SetupError, SuiteConfigurationError } from '../core/failure.ts'
import { writeBaseline } from '../expectations/baseline.ts'
import { toMatrix } from '../report/terminal.ts'
import { cellLine, withoutWorkflowCommands } from '../report/text.ts'
import { writeReports } from '../report/write.ts'
import type { RunConfig } from '../runner/open-run.ts'
import { casesFolder, readCase, storeCases } from '../runner/stored-cases.ts'
import { toJsonList, toTextList } from './list.ts'
import { type RunOptions, replayCommand, runCommand, toReplayConfig, toRunOptions } from './options.ts'
import { appendJobSummary, toAnnotations } from './progress/github.ts'
import { createProgressLine, type ProgressStream } from './progress/progress.ts'
import { replay, run } from './run.ts'

const exitCodes =
  '\nExit codes: 0 conformant, 1 not, 2 configuration or suite error, or nothing ran, 130 interrupted.\n'

export interface Streams {
  readonly out: ProgressStream
  readonly err: ProgressStream
}

/**
 * Runs the command line.
 *
 * @param args arguments, without the program's name
 * @returns the exit code, which the help explains
 */
export async function runConformance(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  streams: Streams,
): Promise<number> {
  const isInWorkflow = env['GITHUB_ACTIONS'] === 'true'
  const { out, err } = isInWorkflow ? { out: inert(streams.out), err: inert(streams.err) } : streams
  const print = (text: string) => void out.write(text)
  let code = 0
  const program = createCommand('conformance', print)
    .addHelpText('after', exitCodes)
    .addCommand(
      runCommand(print).action(async (options) => {
        const annotations = isInWorkflow ? streams.out : undefined
        code = await runAndReport(toRunOptions(options, env), env, { out, err }, annotations)
      }),
    )
    .addCommand(
      replayCommand(print).action(async (file, options) => {
        code = await replayCase(toReplayConfig(await readCase(file), options, env), { out, err })
      }),
    )
    .addCommand(
      createCommand('list', print)
        .description('list requirements and their checks')
        .option('--json', 'as JSON')
        .action(({ json }) => print(json ? toJsonList() : toTextList())),
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

/** Wraps a stream of a job of GitHub Actions, so that no text of a target becomes a command of the workflow. */
function inert(stream: ProgressStream): ProgressStream {
  return { write: (text) => stream.write(withoutWorkflowCommands(text)) }
}

/** @param annotations the stream for annotations, in a job of GitHub Actions */
async function runAndReport(
  options: RunOptions,
  env: NodeJS.ProcessEnv,
  { out, err }: Streams,
  annotations?: ProgressStream,
): Promise<number> {
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
    await storeCases(casesFolder(options.out), report)
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

async function replayCase(config: RunConfig, { out, err }: Streams): Promise<number> {
  const say = (sentence: string) => void err.write(`conformance: ${cellLine(sentence)}\n`)
  const interruption = listenForInterruption(() => say('Interrupted: stopping the check and undoing its writes.'))
  try {
    const { code, sentence } = await replay(config, { signal: interruption.signal, onNotice: say })
    out.write(`${cellLine(sentence)}\n`)
    return code
  } finally {
    interruption.release()
  }
}
