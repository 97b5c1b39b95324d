import { createProgram } from './commands/program/create-program.ts'
import { type CommandDeclaration, type CommandValues, textOption } from './commands/program/declaration.ts'
import { root } from './commands/root.ts'
import { createOutput } from './output/create-output.ts'
import { outputFormats } from './output/output.ts'
import { compileQuery } from './output/query.ts'
import { createPlatform } from './target/platform.ts'
import type { Env } from './target/profiles.ts'
import { cliExitCodes, SilentEnd } from './terminal/command-error.ts'
import type { CommandContext } from './terminal/context.ts'
import { toExplanation } from './terminal/explain.ts'
import { createPager, type Pager } from './terminal/pager.ts'
import { createWriter, type OutputStream, type Writer } from './terminal/writer.ts'

/** The parts of a process that the program uses; tests replace them. */
export interface World {
  readonly env: Env
  readonly stdin: () => NodeJS.ReadStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** @param listener called when the user interrupts; returns false if the command continues */
  readonly onInterrupt: (listener: () => boolean) => void
  readonly fetch: typeof fetch
  readonly now: () => Date
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Runs one command line.
 *
 * @param words the arguments, without the name of the program
 * @returns the exit code
 */
export async function runCommandLine(words: readonly string[], world: World): Promise<number> {
  const ending = new AbortController()
  const { signal } = ending
  const terminal = createWriter(world.stdout, (reason) => ending.abort(reason))
  let out = terminal
  let pager: Pager | undefined
  const err = ignoreFailures(createWriter(world.stderr))
  const texts = { out: '', err: '' }
  let exitCode: number = cliExitCodes.done
  let lastHost = (): string | undefined => undefined
  const run = async (command: CommandDeclaration, input: CommandValues) => {
    const { options } = input
    if (!command.handlesSignals) {
      world.onInterrupt(() => {
        // While a pager is open, Ctrl-C belongs to the pager.
        if (pager?.isOpen()) return false
        ending.abort(new SilentEnd(cliExitCodes.interrupted))
        return true
      })
    }
    const pagerLine = world.env['CDN_PAGER'] ?? world.env['PAGER']
    if (terminal.isTerminal && pagerLine && command.hasOutput && !command.isLive(options)) {
      pager = createPager(world.stdout, pagerLine)
      out = createWriter(pager.stream, (reason) => ending.abort(reason))
    }
    const platform = createPlatform({
      env: world.env,
      out,
      err,
      fetch: world.fetch,
      profile: command.isRemote ? textOption(options, 'profile') : undefined,
      isVerbose: options['verbose'] === true,
      isDryRun: options['dry-run'] === true,
      end: () => ending.abort(new SilentEnd(cliExitCodes.done)),
    })
    lastHost = platform.lastHost
    const context: CommandContext = {
      env: world.env,
      out,
      err,
      stdin: world.stdin,
      output: createOutput(out, await readFormat(command, options)),
      platform,
      signal,
      now: world.now,
      sleep: (ms) => world.sleep(ms, signal),
    }
    exitCode = (await command.run(context, input)) ?? cliExitCodes.done
  }
  try {
    const line = toCommandLine(words)
    const print = (text: string, stream: 'out' | 'err') => {
      texts[stream] += text
    }
    const isCompletion = words[0] === 'complete'
    // The last word is still being typed.
    const known = isCompletion ? line.slice(0, -1) : line
    const program = await createProgram(root, known, { out: terminal, now: world.now, print, run })
    if (isCompletion) {
      const { complete } = await import('./commands/program/complete.ts')
      await complete(program, { before: line.at(-2), typed: line.at(-1) ?? '' }, world.env)
      return exitCode
    }
    const isUnknown =
      !program.named && program.line.filter((word) => !word.startsWith('-')).length > program.path.length
    // For the help of an unknown command, commander would show that of its group.
    const parsed = program.line.filter((word) => !isUnknown || !['--help', '-h'].includes(word))
    await program.program.parseAsync(parsed, { from: 'user' }).catch((thrown) => {
      // Commander also throws after it has shown help.
      if (texts.out === '') throw thrown
    })
    await out.write(texts.out)
    await pager?.close()
    return exitCode
  } catch (thrown) {
    let reason = signal.aborted ? signal.reason : thrown
    await pager?.close().catch((error) => {
      reason = error
    })
    const explanation = await toExplanation(reason, lastHost())
    await err.write(texts.err + (explanation.text && `cdn: ${explanation.text}\n`))
    return explanation.exitCode
  }
}

/** Maps `cdn` to its help, and `cdn help logs query` to `cdn logs query --help`. Shells call `cdn complete -- WORDS`. */
function toCommandLine(words: readonly string[]): readonly string[] {
  if (words.length === 0) return ['--help']
  if (words[0] === 'help') return [...words.slice(1), '--help']
  return words[0] === 'complete' ? words.slice(2) : words
}

function ignoreFailures(writer: Writer): Writer {
  return { ...writer, write: (data) => writer.write(data).catch(() => {}) }
}

async function readFormat(command: CommandDeclaration, options: CommandValues['options']) {
  if (!command.hasOutput) return { format: undefined, query: undefined }
  const expression = textOption(options, 'query')
  return {
    format: outputFormats.find((format) => format === options['output']),
    query: expression === undefined ? undefined : await compileQuery(expression),
  }
}
