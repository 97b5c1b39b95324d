/** The manual page `cdn(1)`: the help of every command, as it is on a terminal. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import description from '../package.json' with { type: 'json' }
import { allCommands } from '../src/commands/program/declaration.ts'
import { root } from '../src/commands/root.ts'
import { helpOf } from './docs.ts'

/** Writes the manual page of the program, and creates its folder if needed. */
export async function writeManualPage(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, await toManualPage())
}

/** The manual page of the program in roff's man macros. */
export async function toManualPage(): Promise<string> {
  const parts = [
    `.TH CDN 1 "" "cdn ${description.version}" "User Commands"`,
    `.SH NAME\ncdn \\- ${escaped(root.summary)}`,
  ]
  for await (const { path, entry } of allCommands(root)) {
    if (path.length > 0 && entry.kind === 'group') continue
    const help = await helpOf(path)
    parts.push(`.SH ${escaped(['cdn', ...path].join(' '))}\n.nf\n${escaped(help.trimEnd())}\n.fi`)
  }
  return `${parts.join('\n')}\n`
}

/** Text that roff shows literally: no escapes, plain hyphens and quotes, no control line, ASCII. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\'"^~`-]/g, (letter) => ({ '\\': '\\e', '-': '\\-' })[letter] ?? `\\[u${hexOf(letter)}]`)
    .replaceAll(/[^\n\x20-\x7e]/gu, (letter) => `\\[u${hexOf(letter)}]`)
    .replaceAll(/^\./gm, '\\&.')
}

function hexOf(letter: string): string {
  return (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}
