import type { Command, Group, Entry as TreeEntry } from '../command/command.ts'
import type { Writer } from '../context/writer.ts'
import { UsageError } from '../errors/command-error.ts'
import { argumentEntries, type Entry, optionEntries, usageOf } from './usage.ts'
import { wrap } from './wrap.ts'

/** Lines are not made longer, however wide the terminal is. */
const mostColumns = 100

const exitCodeText =
  '0 done · 1 failed here (network, a fault of this program) · 2 usage · 3 credentials missing or refused (401, 403) · 4 refused by the platform (other 4xx) · 5 failure of the platform (5xx) · 130 interrupted'

/**
 * The help of a group.
 *
 * @param rest the options that follow it; only `--help` is one
 * @throws UsageError for any other
 */
export async function groupHelp(
  path: readonly string[],
  group: Group,
  writer: Writer,
  rest: readonly string[] = [],
): Promise<string> {
  const strange = rest.find((word) => word !== '--help' && word !== '-h')
  if (strange !== undefined) {
    const place = ['cdn', ...path].join(' ')
    throw new UsageError(
      `There is no option ${strange.split('=')[0]} of ${place} without a command. See ${place} --help.`,
    )
  }
  const entries = await group.load()
  const layout = createLayout(writer)
  return layout.join([
    wrap(group.summary, layout.width),
    ...(group.details ?? []).map((paragraph) => wrap(paragraph, layout.width)),
    layout.section('Usage', [`cdn ${[...path, 'COMMAND'].join(' ')} [options]`]),
    ...(entries.length > 0 ? [layout.list('Commands', entries.map(toLine))] : []),
    ...(path.length === 0 ? [layout.section('Exit codes', [wrap(exitCodeText, layout.width - 2, '  ')])] : []),
    `cdn ${[...path, 'COMMAND'].join(' ')} --help tells more about a command.`,
  ])
}

function toLine({ name, summary }: TreeEntry): Entry {
  return [name, summary]
}

/** The help of a command. */
export function commandHelp(path: readonly string[], command: Command, writer: Writer): string {
  const layout = createLayout(writer)
  const { own, shared } = optionEntries(command)
  const lists: readonly (readonly [string, readonly Entry[]])[] = [
    ['Arguments', argumentEntries(command)],
    ['Options', own],
    [own.length > 0 ? 'Options of many commands' : 'Options', shared],
  ]
  const examples = command.examples.flatMap(({ text, line }) => [`# ${text}`, line])
  return layout.join([
    wrap(command.summary, layout.width),
    ...(command.details ?? []).map((paragraph) => wrap(paragraph, layout.width)),
    layout.section('Usage', [usageOf(path, command)]),
    ...lists.flatMap(([title, entries]) => (entries.length > 0 ? [layout.list(title, entries)] : [])),
    ...(examples.length > 0 ? [layout.section('Examples', examples)] : []),
  ])
}

/** Paragraphs, titled sections, and lists of two columns, for the width of a writer. */
function createLayout(writer: Writer) {
  const width = Math.min(writer.width(), mostColumns)
  const title = (text: string) => writer.paint('bold', `${text}:`)
  return {
    width,
    join: (parts: readonly string[]) => `${parts.join('\n\n')}\n`,
    section: (name: string, lines: readonly string[]) => [title(name), ...lines.map((line) => `  ${line}`)].join('\n'),
    list(name: string, entries: readonly Entry[]): string {
      const widest = Math.min(Math.max(...entries.map(([term]) => term.length)), 30)
      const indent = ' '.repeat(widest + 4)
      const lines = entries.map(([term, meaning]) => {
        const text = wrap(meaning, Math.max(width, indent.length + 20), indent)
        return term.length > widest ? `  ${term}\n${indent}${text}` : `  ${term.padEnd(widest)}  ${text}`
      })
      return [title(name), ...lines].join('\n')
    },
  }
}
