/** `pnpm generate`: writes the repository's `docs/cli.md`, the help of every command. A test checks that it is current. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCommandLine } from '../src/commands/program/create-program.ts'
import { allCommands } from '../src/commands/program/declaration.ts'
import { root } from '../src/commands/root.ts'
import { createWriter, type OutputStream } from '../src/terminal/writer.ts'

const introduction = `# \`cdn\`: all commands

Generated from the help of each command; a test checks that it is up to date. Every example runs in a test against the emulator,
whose ids they name.

## Installation

You need Node 22.15 or later. \`pnpm tarballs\` writes the file that you install; \`pnpm\` stands for \`npx --yes pnpm@12.21.0\`.

<!-- not run: installs for all users -->
\`\`\`sh
npm install --global dist/tarballs/cdn-cli-*.tgz
cdn --version
\`\`\`

## Output

Data goes to standard output, everything else to standard error. The default format is \`table\` on a terminal; otherwise one
value is JSON and a list is NDJSON.

| format   | one value          | a list                                                                  |
| -------- | ------------------ | ----------------------------------------------------------------------- |
| \`table\`  | one line per field | one line per record, fitted to the terminal                             |
| \`json\`   | indented JSON      | one array; NDJSON for a list without an end                             |
| \`ndjson\` | one line           | one line per record                                                     |
| \`yaml\`   | a YAML document    | one sequence; one document per record for a list without an end         |
| \`csv\`    | names, then values | names, then one line per record; the same fields in the same order      |

- \`json\`, \`ndjson\` and \`yaml\` contain every field under the platform's own name, 64-bit integers exactly. Characters that could
  control a terminal are escaped, and half a surrogate pair becomes U+FFFD; nothing else changes.
- \`csv\` and \`table\` show such characters as \`\\u001b\`. A CSV cell that a spreadsheet would run starts with an apostrophe.
- \`--query\` is JMESPath. It sees the value, or all records of a list as one array, whatever the format. For a list without an
  end it sees one record at a time.
- \`authorizationHeader\`, a visitor's credential in extended logs, is shown as \`[hidden]\`.

Requests go through the proxy of \`HTTPS_PROXY\` and \`HTTP_PROXY\`, except those to loopback addresses and the hosts of \`NO_PROXY\`.
`

/** The reference of the whole tree as one Markdown document. */
export async function referencePage(): Promise<string> {
  const parts = [introduction]
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

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../../../docs/cli.md'), await referencePage())
