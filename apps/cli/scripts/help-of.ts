import { defined } from '@cdn/kit/defined'
import { createProgram } from '../src/commands/program/create-program.ts'
import { root } from '../src/commands/root.ts'
import { createWriter, type OutputStream } from '../src/terminal/writer.ts'

const stream: OutputStream = { write: () => true, on: () => undefined }

/**
 * The commander command at a path, and its help for a terminal of 100 columns without colors.
 *
 * @param path names such as `logs query`; empty for the program itself
 */
export async function helpOf(path: readonly string[]) {
  let help = ''
  const words = [...path, '--help']
  const { program } = await createProgram(root, words, {
    out: { ...createWriter(stream), width: () => 100 },
    now: () => new Date(),
    print: (text) => {
      help += text
    },
    run: async () => {},
  })
  const command = path.reduce(
    (parent, name) => defined(parent.commands.find((child) => child.name() === name)),
    program,
  )
  command.outputHelp()
  return { command, help }
}
