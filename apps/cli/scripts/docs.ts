/** `pnpm generate`: writes the help of every command to the repository's `docs/cli.md`. A test checks that it is current. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCommandLine } from '../src/commands/program/create-program.ts'
import { allCommands } from '../src/commands/program/declaration.ts'
import { root } from '../src/commands/root.ts'
import { createWriter, type OutputStream } from '../src/terminal/writer.ts'

/** The page that ends with the help of every command. */
export const page = join(import.meta.dirname, '../../../docs/cli.md')
const mark = '<!-- commands -->\n'

/**
 * Replaces the help of every command in a page.
 *
 * @param text Markdown with the mark before the help
 */
export async function withCommands(text: string): Promise<string> {
  const parts = [text.slice(0, text.indexOf(mark)) + mark]
  for await (const { path } of allCommands(root)) {
    const help = await helpOf(path)
    parts.push(
      `${path.length < 2 ? '##' : '###'} \`${['cdn', ...path].join(' ')}\`\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`,
    )
  }
  return parts.join('\n')
}

const stream: OutputStream = { write: () => true, on: () => undefined }

/**
 * The help of a command, for a terminal of 100 columns without colors.
 *
 * @param path names such as `logs query`; empty for the program itself
 */
export async function helpOf(path: readonly string[]): Promise<string> {
  const out = { ...createWriter(stream), width: () => 100 }
  const plan = await parseCommandLine(root, [...path, '--help'], { out, now: () => new Date() })
  return plan.command ? '' : plan.help
}

/** The first example in the help of the command of each operation. The key is `<interface>.<operation>`. */
export const operationExamples: ReadonlyMap<string, string> = await readExamples()

async function readExamples() {
  const examples = new Map<string, string>()
  for await (const { entry } of allCommands(root)) {
    if (entry.kind === 'command' && entry.operation !== undefined && entry.examples[0])
      examples.set(entry.operation, entry.examples[0].line)
  }
  return examples
}

if (import.meta.main) writeFileSync(page, await withCommands(readFileSync(page, 'utf8')))
