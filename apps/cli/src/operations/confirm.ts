import type { Operation } from '@cdn/api/contract'
import { terminalText } from '@cdn/kit/text'
import type { CommandContext } from '../program/command.ts'
import { CommandError, UsageError } from '../terminal/command-error.ts'
import { askLine } from '../terminal/prompt.ts'

/**
 * Asks for confirmation before a destructive operation, except in a dry run. Without a terminal it throws, so scripts use `--yes`.
 *
 * @param parameters of the path, by name
 * @throws UsageError without a terminal, CommandError if the user declines
 */
export async function confirm(
  context: CommandContext,
  operation: Pick<Operation, 'interface' | 'method' | 'path' | 'summary'>,
  parameters: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (context.platform.isDryRun) return
  const path = operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(parameters[name]))
  const { profile } = await context.platform.target()
  const { host } = await context.platform.address(operation.interface)
  const place = profile === undefined ? host : `${host}, profile ${profile}`
  const sentence = `${operation.summary}: ${operation.method.toUpperCase()} ${path} on ${place}. This cannot be undone.`
  if (!context.stdin().isTTY || !context.err.isTerminal)
    throw new UsageError(`${sentence} Without a terminal for a prompt, confirm with --yes.`)
  await context.err.write(`${terminalText(sentence)}\n`)
  const answer = await askLine(context, 'Continue? [y/N] ')
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was sent.')
}
