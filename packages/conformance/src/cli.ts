import { ConfigurationError } from './failure.ts'
import { toJsonList, toTextList } from './list.ts'
import { parseRunOptions } from './options.ts'
import { toMatrix, writeReports } from './report/index.ts'
import { run } from './run.ts'

const usage = `Usage:
  conformance run --target mock|emulator|live [options]   run the checks and write the reports
  conformance list [--json]                               requirements and their checks

Options of run:
  --management-url URL, --logging-url URL   the live platform (or CDN_MANAGEMENT_URL, CDN_LOGGING_URL)
  --fixtures FILE                           what a live run may touch (or CDN_FIXTURES)
  --allow write,destructive,burst           what a live run may do beyond reading; nothing where absent
  --ground document|supplement              only checks of that ground
  --through document|supplement             only checks that need that to look
  --out DIR                                 folder of the reports; reports/<target> where absent

Exit codes: 0 conformant, 1 not, 2 configuration or suite error, or nothing ran.
`

export interface Streams {
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean }
  readonly err: { write(text: string): unknown }
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
        return await runCommand(rest, env, out)
      case 'list':
        return listCommand(rest, out)
      case undefined:
      case '--help':
      case '-h':
        out.write(usage)
        return command === undefined ? 2 : 0
      default:
        throw new ConfigurationError(`Unknown command ${JSON.stringify(command)}; known are run and list.`)
    }
  } catch (error) {
    // One sentence for a wrong configuration; a fault of ours names itself as such.
    const ours = error instanceof ConfigurationError ? '' : 'Internal error: '
    err.write(`conformance: ${ours}${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
}

async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Streams['out']): Promise<number> {
  const options = parseRunOptions(args, env)
  const report = await run(options)
  await writeReports(report, options.out)
  const color = out.isTTY === true && !env['NO_COLOR']
  out.write(`${toMatrix(report, { color })}\nReport: ${options.out}/index.html\n`)
  return report.exitCode
}

function listCommand(args: readonly string[], out: Streams['out']): number {
  const strange = args.find((arg) => arg !== '--json')
  if (strange) throw new ConfigurationError(`Unknown option ${strange}; list knows --json.`)
  out.write(args.includes('--json') ? toJsonList() : toTextList())
  return 0
}
