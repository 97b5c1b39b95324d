import { createProgram } from '../src/commands/program/create-program.ts'
import { root } from '../src/commands/root.ts'
import { createWriter, type OutputStream } from '../src/terminal/writer.ts'

const stream: OutputStream = { write: () => true, on: () => undefined }

/**
 * The help of a command, for a terminal of 100 columns without colors.
 *
 * @param path names such as `logs query`; empty for the program itself
 */
export async function helpOf(path: readonly string[]): Promise<string> {
  let help = ''
  const words = [...path, '--help']
  const print = (text: string) => {
    help += text
  }
  const out = { ...createWriter(stream), width: () => 100 }
  const { program } = await createProgram(root, words, { out, now: () => new Date(), print, run: async () => {} })
  // Commander throws after it has shown help.
  await program.parseAsync(words, { from: 'user' }).catch(() => {})
  return help
}
