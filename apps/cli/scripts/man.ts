/** The manual page `cdn(1)`, from the same declarations as the help. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { defined } from '@cdn/kit/defined'
import type { Option } from 'commander'
import { allCommands, type CommandDeclaration } from '../src/commands/program/declaration.ts'
import { globalHeading } from '../src/commands/program/shared-options.ts'
import { root } from '../src/commands/root.ts'
import { version } from '../src/version.ts'
import { helpOf } from './help-of.ts'

/** Writes the manual page of the program, and creates its folder if needed. */
export async function writeManualPage(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, await toManualPage())
}

/** The manual page of the program in roff's man macros. */
export async function toManualPage(): Promise<string> {
  const commands: string[] = []
  const globalOptions = new Set<string>()
  for await (const { path, entry } of allCommands(root)) {
    if (entry.kind === 'group') continue
    const { section, shared } = await describe(path, entry)
    commands.push(section)
    for (const option of shared) globalOptions.add(option)
  }
  return [
    `.TH CDN 1 "" "cdn ${version}" "User Commands"`,
    `.SH NAME\ncdn \\- ${escaped(root.summary)}`,
    '.SH SYNOPSIS\n.B cdn\n.I command\n.RI [ options ]',
    '.SH COMMANDS',
    ...commands,
    `.SH GLOBAL OPTIONS\n${[...globalOptions].join('\n')}`,
    `.SH NOTES\n${((await root.notes?.()) ?? []).map(paragraph).join('\n')}\n`,
  ].join('\n')
}

/** The section of a command, and its shared options. */
async function describe(path: readonly string[], declaration: CommandDeclaration) {
  const { summary, details = [], examples } = declaration
  const { command } = await helpOf(path)
  const help = command.createHelp()
  const options = help.visibleOptions(command)
  const shared = options.filter(({ long, helpGroupHeading }) => helpGroupHeading === globalHeading || long === '--help')
  const toText = (option: Option) => tagged(help.optionTerm(option), help.optionDescription(option))
  const section = [
    `.SS ${escaped(['cdn', ...path].join(' '))}`,
    `${escaped(summary)}.`,
    `.PP\n.B ${escaped(help.commandUsage(command))}`,
    ...help.visibleArguments(command).map((value) => tagged(help.argumentTerm(value), help.argumentDescription(value))),
    ...options.filter((option) => !shared.includes(option)).map(toText),
    ...details.map(paragraph),
    ...examples.map(({ text, line }) => `.PP\n${escaped(text)}:\n.PP\n.nf\n.RS 4\n${escaped(line)}\n.RE\n.fi`),
  ].join('\n')
  return { section, shared: shared.map(toText) }
}

function tagged(term: string, text: string): string {
  return `.TP\n.B ${escaped(term)}\n${escaped(text)}`
}

/** Keeps the line breaks of lists. */
function paragraph(text: string): string {
  return `.PP\n${text.split('\n').map(escaped).join('\n.br\n')}`
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '^': '\\(ha',
  '~': '\\(ti',
  '`': '\\(ga',
}

/** Text that roff shows literally: no escapes, plain hyphens and quotes, no control line, ASCII. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\'"^~`-]/g, (letter) => defined(escapes[letter]))
    .replaceAll(/[^\n\x20-\x7e]/gu, (letter) => `\\[u${hexOf(letter)}]`)
    .replaceAll(/^\./gm, '\\&.')
}

function hexOf(letter: string): string {
  return defined(letter.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')
}
