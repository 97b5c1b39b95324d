import type { Command } from 'commander'
import type * as declared from './declaration.ts'

/** Adds the parts of the help that commander lacks. The description and the examples come first, the details after the options. */
export function describeCommand(command: Command, declaration: declared.CommandDeclaration): void {
  const { summary, details = [], examples } = declaration
  // Commander would print the description after the usage line. The description itself is still set, because completion and the
  // lists of commands use it.
  command.configureHelp({ ...command.configureHelp(), commandDescription: () => '' })
  command.addHelpText(
    'before',
    () => `${wrap(command, summary)}\n\n${title(command, 'Examples:')}\n${listOf(examples)}\n`,
  )
  addParagraphs(command, details)
}

/**
 * Adds the summary of a group. Also adds the group's notes if this call may show the group's own help.
 *
 * @param isLast whether the command line ends with this group and does not name one of its entries
 */
export async function describeGroup(command: Command, group: declared.CommandGroup, isLast: boolean): Promise<void> {
  const notes = (isLast && (await group.notes?.())) || []
  command.description(group.summary)
  addParagraphs(command, notes)
}

function addParagraphs(command: Command, texts: readonly string[]): void {
  if (texts.length === 0) return
  command.addHelpText('after', () => `\n${texts.map((text) => wrap(command, text)).join('\n\n')}`)
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
