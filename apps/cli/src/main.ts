import type { Command, Input } from './command/command.ts'
import { findCommand } from './command/find.ts'
import { parseInput } from './command/parse-input.ts'
import { expressionName } from './command/shared-options.ts'
import { root } from './commands/root.ts'
import type { Context } from './context/context.ts'
import { createInput } from './context/input.ts'
import { createWriter, type OutputStream, type Writer } from './context/writer.ts'
import { exitCodes, Interrupted, NotSent } from './errors/command-error.ts'
import { explain } from './errors/explain.ts'
import { createOutput } from './output/create-output.ts'
import type { Format } from './output/output.ts'
import { compileQuery } from './output/query.ts'
import { createPlatform } from './platform/create-platform.ts'

/** What the program needs of its process; tests bring their own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: () => NodeJS.ReadStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** @param listener called when the user wants the command to end */
  readonly onInterrupt: (listener: () => void) => void
  readonly fetch: typeof fetch
  readonly now: () => Date
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Runs one command line.
 *
 * @param words the arguments, without the name of the program
 * @returns the exit code (design §8)
 */
export async function main(words: readonly string[], world: World): Promise<number> {
  const ending = new AbortController()
  const { signal } = ending
  const out = createWriter(world.stdout, (reason) => ending.abort(reason))
  const err = quietly(createWriter(world.stderr))
  let lastHost = (): string | undefined => undefined
  try {
    const { path, entry, rest } = await findCommand(root, words)
    if (entry.kind === 'group') {
      const { groupHelp } = await import('./help/text.ts')
      const isAsked = rest.length > 0 || path.length === 0
      await (isAsked ? out : err).write(await groupHelp(path, entry, isAsked ? out : err, rest))
      return isAsked ? exitCodes.done : exitCodes.usage
    }
    if (!entry.handlesSignals) world.onInterrupt(() => ending.abort(new Interrupted()))
    const input = parseInput(entry, rest, world.now())
    if (input.options['help']) {
      const { commandHelp } = await import('./help/text.ts')
      await out.write(commandHelp(path, entry, out))
      return exitCodes.done
    }
    const { options } = input
    const platform = createPlatform({
      env: world.env,
      out,
      err,
      fetch: world.fetch,
      profile: entry.isRemote ? (options['profile'] as string | undefined) : undefined,
      isVerbose: options['verbose'] === true,
      isDryRun: options['dry-run'] === true,
      end: () => ending.abort(new NotSent()),
    })
    lastHost = platform.lastHost
    const context: Context = {
      env: world.env,
      out,
      err,
      in: createInput(world.stdin),
      output: createOutput(out, await readFormat(entry, options)),
      platform,
      signal,
      now: world.now,
      sleep: (ms) => world.sleep(ms, signal),
    }
    return (await entry.run(context, input)) ?? exitCodes.done
  } catch (thrown) {
    const { text, exitCode } = await explain(signal.aborted ? signal.reason : thrown, lastHost())
    if (text) await err.write(`cdn: ${text}\n`)
    return exitCode
  }
}

/** What is said beside the data may get lost; that is no reason to end. */
function quietly(writer: Writer): Writer {
  return { ...writer, write: (data) => writer.write(data).catch(() => {}) }
}

async function readFormat({ hasOutput, options: own }: Command, options: Input['options']) {
  if (!hasOutput) return { format: undefined, query: undefined }
  const name = 'query' in own ? expressionName : 'query'
  const expression = options[name] as string | undefined
  return {
    format: options['output'] as Format | undefined,
    query: expression === undefined ? undefined : await compileQuery(`--${name}`, expression),
  }
}
