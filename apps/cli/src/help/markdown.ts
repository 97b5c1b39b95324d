import type { Command, Group } from '../command/command.ts'
import { allCommands } from '../command/find.ts'
import { argumentEntries, type Entry, optionEntries, usageOf } from './usage.ts'

/**
 * The help of the whole tree as one Markdown document.
 *
 * @param root the tree
 */
export async function toMarkdown(root: Group): Promise<string> {
  const parts: string[] = [head]
  for await (const { path, entry } of allCommands(root)) {
    if (path.length === 0) parts.push(await groupTable(entry as Group, path), exitCodes, shapes)
    else if (entry.kind === 'group') parts.push(`## \`cdn ${path.join(' ')}\``, ...(await describeGroup(path, entry)))
    else parts.push(`${path.length === 1 ? '##' : '###'} \`cdn ${path.join(' ')}\``, ...describe(path, entry))
  }
  return `${parts.join('\n\n')}\n`
}

const head = `# \`cdn\`: all commands

Written by \`cdn help --all\`; a test keeps it fresh. §N is a section of the document that describes the platform; _supplement_
is what only public facts say. Every example runs in a test against the emulator, whose ids they name.`

const exitCodes = `## Exit codes

${table(
  ['code', 'means'],
  [
    ['0', 'done, also where the reader of the output closed it'],
    ['1', 'failed here: no network, or a fault of this program'],
    ['2', 'usage: what was typed cannot be understood, or cannot be done'],
    ['3', 'credentials missing, or refused by the platform (401, 403)'],
    ['4', 'refused by the platform (other 4xx)'],
    ['5', 'failure of the platform (5xx)'],
    ['130', 'interrupted'],
  ],
)}`

const shapes = `## What is printed

Data goes to standard output, all else to standard error. Without \`--output\` a terminal gets a table; elsewhere one value is
JSON and a list is NDJSON.

${table(
  ['format', 'one value', 'a list'],
  [
    ['`table`', 'a line a field', 'a line a record, fitted to the terminal'],
    ['`json`', 'indented JSON', 'one array; NDJSON where the list never ends'],
    ['`ndjson`', 'one line', 'a line a record'],
    ['`csv`', 'names, then values', 'names, then a line a record; the same fields in the same order'],
  ],
)}

- \`json\` and \`ndjson\` hold every field under the platform's own name, 64-bit integers exactly. Characters that could steer a
  terminal are escaped, half a surrogate pair becomes U+FFFD; nothing else changes.
- \`csv\` and \`table\` show such characters as \`\\u001b\`. A CSV cell that a spreadsheet would run begins with an apostrophe.
- \`--query\` is JMESPath. It sees the value, or all records of a list as one array, whatever the format; where the list never
  ends, one record at a time.
- \`authorizationHeader\`, a visitor's credential in extended logs, is shown as \`[hidden]\`.`

async function groupTable(group: Group, path: readonly string[]): Promise<string> {
  const entries = await group.load()
  return table(
    ['command', 'does'],
    entries.map(({ name, summary }) => [`\`cdn ${[...path, name].join(' ')}\``, summary]),
  )
}

async function describeGroup(path: readonly string[], group: Group): Promise<string[]> {
  const entries = await group.load()
  return [...(group.details ?? [`${group.summary}.`]), ...(entries.length > 0 ? [await groupTable(group, path)] : [])]
}

function describe(path: readonly string[], command: Command): string[] {
  const { own, shared } = optionEntries(command)
  const code = (entries: readonly Entry[]): Entry[] => entries.map(([name, meaning]) => [`\`${name.trim()}\``, meaning])
  const examples = command.examples.map(({ text, line }) => `# ${text}\n${line}`)
  const shares = shared.map(([name]) => `\`${name.trim().replace(/^-\w, /, '')}\``)
  return [
    `${command.summary}.`,
    ...(command.details ?? []).map(toParagraph),
    `\`\`\`\n${usageOf(path, command)}\n\`\`\``,
    ...(command.isOpen || Object.keys(command.arguments).length === 0
      ? []
      : [table(['argument', 'is'], code(argumentEntries(command)))]),
    ...(own.length > 0 ? [table(['option', 'does'], code(own))] : []),
    ...(shares.length > 1 ? [`Also: ${shares.join(', ')}.`] : []),
    ...(examples.length > 0 ? [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``] : []),
  ]
}

/** A paragraph with indented lines is a list. */
function toParagraph(text: string): string {
  const [first = '', ...lines] = text.split('\n')
  return lines.length === 0
    ? text
    : [first, '', ...lines.map((line) => `- ${line.trim().replace(/ {2,}/, ' ')}`)].join('\n')
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = titles.map((title, column) =>
    Math.max(...[titles, ...cells].map((row) => (row[column] ?? title).length)),
  )
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}
