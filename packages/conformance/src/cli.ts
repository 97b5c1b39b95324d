import { adopt } from './adopt/adopt.ts'
import { parseAdoptOptions } from './adopt/options.ts'
import { ConfigurationError, reasonOf } from './failure.ts'
import { toJsonList, toTextList } from './list.ts'
import { parseRunOptions } from './options.ts'
import { appendJobSummary, toAnnotations } from './progress/github.ts'
import { createProgress, type ProgressStream } from './progress/progress.ts'
import { toMatrix, writeReports } from './report/index.ts'
import { oneLine } from './report/text.ts'
import { run } from './run.ts'
import { onInterruption } from './suite/signals.ts'

const usage = `Usage:
  conformance run --target mock|emulator|live [options]   run the checks and write the reports
  conformance list [--json]                               requirements and their checks
  conformance mutants [--json]                            mistakes of a server, and the checks that catch them
  conformance adopt [options]                             write what was observed as overlays, or as a baseline

Options of run:
  --management-url URL, --logging-url URL   the live platform (or CDN_MANAGEMENT_URL, CDN_LOGGING_URL)
  --fixtures FILE                           what a live run may touch (or CDN_FIXTURES)
  --allow write,destructive,burst           what a live run may do beyond reading; nothing where absent
  --ground document|supplement              only checks of that ground
  --through document|supplement             only checks that need that to look
  --known-failing FILE                      failures that are known, [{"id", "reason"}]; an entry that passes is an error
  --baseline FILE                           earlier observations; a change is shown as drift
  --fail-on drift                           drift makes the run fail
  --budget N                                at most N requests; the checks that are left are skipped
  --out DIR                                 folder of the reports; reports/<target> where absent

Options of adopt:
  --from DIR                                folder of the reports; the newest of reports/live and reports/emulator
  --out DIR                                 where <interface>/observed.overlay.yaml is written; the same folder where absent
  --baseline FILE                           writes the observations as a baseline there instead

Exit codes: 0 conformant, 1 not, 2 configuration or suite error, or nothing ran, 130 interrupted.
`

export interface Streams {
  readonly out: ProgressStream
  readonly err: ProgressStream
}

/**
 * The command line.
 *
 * @param args without the program's name
 * @returns the exit code (design §5)
 */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv, { out, err }: Streams): Promise<number> {
  try {
    const [command, ...rest] = args
    switch (command) {
      case 'run':
        return await runCommand(rest, env, { out, err })
      case 'list':
        return listCommand(rest, out)
      case 'mutants': {
        // The emulator is loaded by the commands that need it.
        const { runMutantsCommand } = await import('./mutants/command.ts')
        return await runMutantsCommand(rest, out)
      }
      case 'adopt':
        for (const file of await adopt(parseAdoptOptions(rest))) out.write(`Written: ${file}\n`)
        return 0
      case undefined:
      case '--help':
      case '-h':
        out.write(usage)
        return command === undefined ? 2 : 0
      default:
        throw new ConfigurationError(
          `Unknown command ${JSON.stringify(command)}; known are run, list, mutants and adopt.`,
        )
    }
  } catch (error) {
    // One sentence for a wrong configuration; a fault of ours names itself as such.
    const ours = error instanceof ConfigurationError ? '' : 'Internal error: '
    err.write(`conformance: ${ours}${oneLine(error instanceof Error ? error.message : String(error))}\n`)
    return 2
  }
}

async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv, { out, err }: Streams): Promise<number> {
  const options = parseRunOptions(args, env)
  const progress = createProgress(err)
  const say = (sentence: string) => {
    progress.clear()
    err.write(`conformance: ${oneLine(sentence)}\n`)
  }
  const interruption = onInterruption(() => say('Interrupted: ending the checks and taking back what they wrote.'))
  try {
    const { signal } = interruption
    const report = await run(options, { signal, onCheck: progress.show, onNotice: say })
    progress.clear()
    await writeReports(report, options.out)
    const color = out.isTTY === true && !env['NO_COLOR']
    out.write(`${toMatrix(report, { color })}\nReport: ${options.out}/index.html\n`)
    if (env['GITHUB_ACTIONS'] === 'true') out.write(toAnnotations(report))
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

function listCommand(args: readonly string[], out: Streams['out']): number {
  out.write(isJson('list', args) ? toJsonList() : toTextList())
  return 0
}

function isJson(command: string, args: readonly string[]): boolean {
  const strange = args.find((arg) => arg !== '--json')
  if (strange) throw new ConfigurationError(`Unknown option ${strange}; ${command} knows --json.`)
  return args.includes('--json')
}
