import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { cliExitCodes, SilentEnd, UsageError } from './command-error.ts'
import type { Writer } from './writer.ts'

/** The parts of a command's context that a prompt needs. */
interface Prompt {
  readonly stdin: () => NodeJS.ReadStream
  readonly err: Writer
  readonly signal: AbortSignal
}

/**
 * Prompts for one line on the terminal.
 *
 * @param question is written to standard error, so that standard output has only data
 * @param isSecret whether to hide the line while the user types it
 * @returns the line without its line end
 * @throws UsageError without a terminal; SilentEnd for Ctrl-C or the end of the input, after the terminal is restored
 */
export async function askLine({ stdin, err, signal }: Prompt, question: string, isSecret = false): Promise<string> {
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
