import type { Command } from 'commander'
import type * as declared from './declaration.ts'

/**
 * Adds the parts of the help that commander lacks. The description and the examples come first, the details after the options.
 * With `--sources`, the source of each statement follows.
 *
 * @param words the words after the command's name
 */
export function describeCommand(
  command: Command,
  declaration: declared.CommandDeclaration,
  words: readonly string[],
): void {
  const { summary, details = [], examples, sources } = declaration
  // Commander would print the description after the usage line. The description itself is still set, because completion and the
  // lists of commands use it.
  command.configureHelp({ ...command.configureHelp(), commandDescription: () => '' })
  command.addHelpText(
    'before',
    () => `${wrap(command, summary)}\n\n${title(command, 'Examples:')}\n${listOf(examples)}\n`,
  )
  command.addHelpText('after', () => {
    const parts = [...details, ...(words.includes('--sources') && sources ? sources() : [])]
    return parts.length === 0 ? '' : `\n${parts.map((part) => wrap(command, part)).join('\n\n')}`
  })
}

/**
 * Adds the summary of a group. Also adds the group's notes if this call may show the group's own help.
 *
 * @param isLast whether the command line ends with this group and does not name one of its entries
 */
export async function describeGroup(command: Command, group: declared.CommandGroup, isLast: boolean): Promise<void> {
  const notes = (isLast && (await group.notes?.())) || []
  command.description(group.summary)
  if (notes.length > 0) command.addHelpText('after', () => `\n${notes.map((note) => wrap(command, note)).join('\n\n')}`)
}

function listOf(examples: readonly declared.Example[]): string {
  return examples.map(({ text, line }) => `  # ${text}\n  ${line}\n`).join('')
}

function title(command: Command, text: string): string {
  return command.createHelp().styleTitle(text)
}

function wrap(command: Command, text: string): string {
  const { getOutHelpWidth } = command.configureOutput()
  return command.createHelp().boxWrap(text, getOutHelpWidth?.() ?? 80)
}
