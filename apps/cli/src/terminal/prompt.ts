import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Operation } from '@cdn/api/contract'
import { terminalText } from '@cdn/kit/text'
import type { CommandContext } from '../commands/program/command.ts'
import { CommandError, cliExitCodes, SilentEnd, UsageError } from './command-error.ts'

/**
 * Prompts for one line on the terminal.
 *
 * @param question is written to standard error, so that standard output has only data
 * @param isSecret whether to hide the line while the user types it
 * @returns the line without its line end
 * @throws UsageError without a terminal; SilentEnd for Ctrl-C or the end of the input, after the terminal is restored
 */
export async function askLine(
  { stdin, err, signal }: CommandContext,
  question: string,
  isSecret = false,
): Promise<string> {
  const terminal = stdin()
  if (!terminal.isTTY || !err.isTerminal) throw new UsageError('A prompt needs a terminal')
  signal.throwIfAborted()
  let isMuted = false
  // This stream does not buffer, so that the prompt appears before `isMuted` is set.
  const echo = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      if (!isMuted) void err.write(piece.toString())
      done()
    },
  })
  const reader = createInterface({ input: terminal, output: echo, terminal: true, historySize: 0, prompt: question })
  reader.prompt()
  isMuted = isSecret
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.on('line', resolve)
      reader.on('SIGINT', () => reject(new SilentEnd(cliExitCodes.interrupted)))
      reader.on('close', () => reject(new SilentEnd(cliExitCodes.interrupted)))
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  } catch (error) {
    await err.write('\n')
    throw error
  } finally {
    reader.close()
    if (isSecret) await err.write('\n')
  }
}

/**
 * Asks for confirmation before a destructive operation, except in a dry run. Without a terminal it throws, so scripts use `--yes`.
 *
 * @param parameters of the path, by name
 * @throws UsageError without a terminal, CommandError if the user declines
 */
export async function confirm(
  context: CommandContext,
  operation: Pick<Operation, 'interface' | 'method' | 'path' | 'summary'>,
  parameters: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (context.platform.isDryRun) return
  const path = operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(parameters[name]))
  const { profile } = await context.platform.target()
  const { host } = await context.platform.address(operation.interface)
  const place = profile === undefined ? host : `${host}, profile ${profile}`
  const sentence = `${operation.summary}: ${operation.method.toUpperCase()} ${path} on ${place}. This cannot be undone.`
  if (!context.stdin().isTTY || !context.err.isTerminal)
    throw new UsageError(`${sentence} Without a terminal for a prompt, confirm with --yes.`)
  await context.err.write(`${terminalText(sentence)}\n`)
  const answer = await askLine(context, 'Continue? [y/N] ')
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was sent.')
}
