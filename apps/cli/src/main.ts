import type { Env } from '@cdn/kit/env'
import { listenForInterruption } from '@cdn/kit/interruption'
import { useProxy } from '@cdn/kit/proxy'
import { runToEnd } from '@cdn/kit/run-to-end'
import { cleanLines } from '@cdn/kit/text'
import { sleep } from '@cdn/kit/wait'
import description from '../package.json' with { type: 'json' }
import { root } from './commands/root.ts'
import { createOutput, type OutputFormat } from './output/create-output.ts'
import { compileQuery } from './output/query.ts'
import type { CommandContext, Run } from './program/command.ts'
import { createProgram, type Plan, parseCommandLine } from './program/create-program.ts'
import { createPlatform } from './target/platform.ts'
import { cliExitCodes, SilentEnd } from './terminal/command-error.ts'
import { explain } from './terminal/explain.ts'
import { createWriter, type OutputStream, type Writer } from './terminal/writer.ts'

/** The parts of a process that the program uses; tests replace them. */
export interface ProcessApi {
  readonly env: Env
  readonly stdin: () => NodeJS.ReadStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** @param listener called when the user interrupts */
  readonly onInterrupt: (listener: () => void) => void
  readonly fetch: typeof fetch
  readonly now: () => Date
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How long a command may take to end after an interrupt, in milliseconds. */
const maxEndMs = 2000

/** Runs the command line of this process, and ends it. */
export async function runProcess(): Promise<void> {
  await runToEnd('cdn', cliExitCodes.failed, async () => (useProxy('cdn') ? runWithProcess() : cliExitCodes.usage))
}

function runWithProcess(): Promise<number> {
  return runCommandLine(process.argv.slice(2), {
    env: process.env,
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt: (listener) => {
      listenForInterruption(listener, { signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], maxEndMs })
    },
    fetch: (...request) => fetch(...request),
    now: () => new Date(),
    sleep,
  })
}

/**
 * Runs one command line.
 *
 * @param words the arguments, without the name of the program
 * @returns the exit code
 */
export async function runCommandLine(words: readonly string[], world: ProcessApi): Promise<number> {
  const ending = new AbortController()
  const out = createWriter(world.stdout, (reason) => ending.abort(reason))
  const stderr = createWriter(world.stderr)
  const err: Writer = { ...stderr, write: (data) => stderr.write(data).catch(() => {}) }
  try {
    // The version needs no command, so it does not load the contract.
    if (words.length === 1 && /^(--version|-V)$/.test(words[0] ?? '')) {
      await out.write(`${description.version}\n`)
      return cliExitCodes.done
    }
    const line = toCommandLine(words)
    if (words[0] === 'complete') {
      const { complete } = await import('./commands/complete.ts')
      await out.write(await complete(await createProgram(root, line.slice(0, -1), out), line, world.env))
      return cliExitCodes.done
    }
    const plan = await parseCommandLine(root, line, out)
    if (plan.run) return await runCommand(plan, world, { out, err }, ending)
    await (plan.isMistake ? err : out).write(plan.help)
    return plan.isMistake ? cliExitCodes.usage : cliExitCodes.done
  } catch (thrown) {
    return printFailure(ending.signal.aborted ? ending.signal.reason : thrown, err)
  }
}

/** The values of the options that several commands share (`addSharedOptions`). */
interface SharedOptions {
  readonly profile?: string
  readonly output?: OutputFormat
  readonly query?: string
  readonly columns?: string
  readonly showSecrets?: true
  readonly verbose?: true
  readonly dryRun?: true
}

async function runCommand(
  { run, description, options }: Extract<Plan, { run: Run }>,
  world: ProcessApi,
  { out, err }: Pick<CommandContext, 'out' | 'err'>,
  ending: AbortController,
): Promise<number> {
  const { signal } = ending
  const { env, stdin, fetch, now } = world
  const { profile, output: format, query, columns, showSecrets, verbose, dryRun } = options as SharedOptions
  if (!description.handlesSignals) world.onInterrupt(() => ending.abort(new SilentEnd(cliExitCodes.interrupted)))
  const end = () => ending.abort(new SilentEnd(cliExitCodes.done))
  const platform = createPlatform({ env, out, err, fetch, profile, isVerbose: !!verbose, isDryRun: !!dryRun, end })
  const showsSecrets = showSecrets === true
  try {
    const compiled = query === undefined ? undefined : await compileQuery(query)
    const chosen = columns?.split(',')
    const output = createOutput({ out, err }, { format, query: compiled, columns: chosen, showsSecrets, now })
    const sleep = (ms: number) => world.sleep(ms, signal)
    const context = { env, out, err, stdin, output, profile, showsSecrets, platform, signal, now, sleep }
    return (await run(context)) ?? cliExitCodes.done
  } catch (thrown) {
    return printFailure(signal.aborted ? signal.reason : thrown, err, platform.lastHost())
  }
}

async function printFailure(error: unknown, err: Writer, lastHost?: string): Promise<number> {
  const { text, exitCode } = await explain(error, lastHost)
  await err.write(text && `cdn: ${cleanLines(text)}\n`)
  return exitCode
}

/**
 * Maps `cdn` to its help, and `cdn help logs query` and `cdn logs help query` to `cdn logs query --help`. Shells call `cdn complete --
 * WORDS`; the command line is then WORDS.
 */
function toCommandLine(words: readonly string[]): readonly string[] {
  if (words.length === 0) return ['--help']
  if (words[0] === 'complete') return words.slice(2)
  const help = words.slice(0, 2).indexOf('help')
  return help === -1 ? words : [...words.toSpliced(help, 1), '--help']
}
