import type { Operation } from '@cdn/api/contract'
import { terminalText } from '@cdn/kit/text'
import { CommandError, UsageError } from './command-error.ts'
import type { CommandContext } from './context.ts'
import { askLine } from './prompt.ts'

/**
 * Asks for confirmation before an operation that is destructive, or whose effect is unreviewed. Without a terminal it throws, so
 * scripts use `--yes`.
 *
 * @param parameters of the path, by name
 * @param isConfirmed whether `--yes` was given
 * @throws UsageError without a terminal, CommandError if the user declines
 */
export async function confirm(
  context: CommandContext,
  operation: Pick<Operation, 'interface' | 'effect' | 'method' | 'path' | 'summary'> & { readonly assumed?: boolean },
  parameters: Readonly<Record<string, unknown>>,
  isConfirmed: boolean,
): Promise<void> {
  const isDestructive = operation.effect === 'destructive'
  const isHarmless = !isDestructive && !operation.assumed
  if (isHarmless || isConfirmed || context.platform.isDryRun) return
  const path = operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(parameters[name]))
  const { profile } = await context.platform.target()
  const { host } = await context.platform.address(operation.interface)
  const place = profile === undefined ? host : `${host}, profile ${profile}`
  const warning = isDestructive ? 'This cannot be undone.' : 'The effect of this operation has not been reviewed.'
  const sentence = `${operation.summary}: ${operation.method.toUpperCase()} ${path} on ${place}. ${warning}`
  await ask(context, sentence, 'confirm with --yes.', 'Nothing was sent.')
}

/**
 * Asks whether to continue.
 *
 * @param sentence describes the effect
 * @param advice what to do without a terminal for a prompt
 * @param declined the message if the user declines
 * @throws UsageError without a terminal, CommandError if the user declines
 */
export async function ask(context: CommandContext, sentence: string, advice: string, declined: string): Promise<void> {
  if (!context.stdin().isTTY || !context.err.isTerminal) {
    throw new UsageError(`${sentence} Without a terminal for a prompt, ${advice}`)
  }
  await context.err.write(`${terminalText(sentence)}\n`)
  const answer = await askLine(context, 'Continue? [y/N] ')
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(declined)
}
