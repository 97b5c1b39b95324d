import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Interrupted, UsageError } from '../errors/command-error.ts'
import type { Context } from './context.ts'

/**
 * Asks on the terminal for one line.
 *
 * @param question written to standard error, so that standard output stays data
 * @param isSecret what is typed is not shown, and is in no history
 * @returns the line without its end
 * @throws UsageError where nobody can be asked; Interrupted for Ctrl-C or the end of the input; the terminal is then as it was
 */
export async function askLine(
  { in: input, err, signal }: Context,
  question: string,
  isSecret = false,
): Promise<string> {
  const { terminal } = input
  if (!terminal || !err.isTerminal) throw new UsageError('There is no terminal to ask on')
  signal.throwIfAborted()
  let isMuted = false
  // Taken at once: what waits in the stream would be muted, too.
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
      reader.on('SIGINT', () => reject(new Interrupted()))
      reader.on('close', () => reject(new Interrupted()))
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
