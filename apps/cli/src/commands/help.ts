import { defineCommand } from '../command/command.ts'
import { findCommand } from '../command/find.ts'
import { named } from '../command/value-type.ts'

/** `cdn help`: the same texts as `--help`, and all of them as one document. */
export const helpCommand = defineCommand({
  name: 'help',
  summary: 'Show the help of a command',
  arguments: { command: { value: named('COMMAND'), summary: 'The words of the command', rest: true } },
  options: { all: { summary: 'Everything, as Markdown' } },
  examples: [
    { text: 'What a command takes', line: 'cdn help logs query' },
    { text: 'Everything', line: 'cdn help --all' },
  ],
  run: async ({ out }, { arguments: { command }, options }) => {
    const { root } = await import('./root.ts')
    if (options.all) {
      const { toMarkdown } = await import('../help/markdown.ts')
      return out.write(await toMarkdown(root))
    }
    const { groupHelp, commandHelp } = await import('../help/text.ts')
    const { path, entry } = await findCommand(root, command)
    return out.write(entry.kind === 'group' ? await groupHelp(path, entry, out) : commandHelp(path, entry, out))
  },
})
