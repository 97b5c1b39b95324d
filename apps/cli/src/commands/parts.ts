/** The parts that are packages of their own: loaded when called, and a clear sentence where they are not installed. */
import { type Command, defineCommand } from '../command/command.ts'
import { text } from '../command/value-type.ts'
import { CommandError } from '../errors/command-error.ts'

/** Hands its words on as they are. */
const words = { words: { value: text, summary: 'What the part takes; see its --help', rest: true as const } }

/** `cdn emulator`: the platform in memory. */
export const emulatorCommand: Command = defineCommand({
  name: 'emulator',
  summary: 'Serve the platform in memory (package @cdn/emulator)',
  details: ['All that follows is handed on: cdn emulator --help tells what it takes.'],
  arguments: words,
  isOpen: true,
  handlesSignals: true,
  examples: [{ text: 'Until Ctrl-C', line: 'cdn emulator --json', isEndless: true, exitCode: 0 }],
  run: async (_context, { arguments: given }) => {
    const { runCli } = await load('@cdn/emulator', () => import('@cdn/emulator/cli'))
    return runCli(given.words)
  },
})

/** `cdn conformance`: the checks. */
export const conformanceCommand: Command = defineCommand({
  name: 'conformance',
  summary: 'Hold a platform against the document (package @cdn/conformance)',
  details: ['All that follows is handed on: cdn conformance --help tells what it takes.'],
  arguments: words,
  isOpen: true,
  handlesSignals: true,
  examples: [{ text: 'What is checked', line: 'cdn conformance list' }],
  run: async (context, { arguments: given }) => {
    const { main } = await load('@cdn/conformance', () => import('@cdn/conformance/cli'))
    return main(given.words, context.env, { out: process.stdout, err: process.stderr })
  },
})

/**
 * Loads a package that may not be there.
 *
 * @throws CommandError that names it, where it is not installed
 */
export async function load<Part>(name: string, part: () => Promise<Part>): Promise<Part> {
  try {
    return await part()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(name)) throw error
    throw new CommandError(`This needs the package ${name}, which is not installed. Run: npm install --global ${name}`)
  }
}
