import type { Operation } from '@cdn/api/contract'
import { CommandError, UsageError } from '../errors/command-error.ts'
import { cleanText } from '../output/text.ts'
import type { Context } from './context.ts'
import { askLine } from './prompt.ts'

/**
 * Names what will be destroyed, and asks. Without a terminal it is an error: a script says `--yes`.
 *
 * @param parameters of the path, by name
 * @param isAllowed `--yes` was given
 * @throws UsageError where nobody can be asked, CommandError where the answer is no
 */
export async function confirmDestruction(
  context: Context,
  operation: Pick<Operation, 'interface' | 'effect' | 'method' | 'path' | 'summary'>,
  parameters: Readonly<Record<string, unknown>>,
  isAllowed: boolean,
): Promise<void> {
  if (operation.effect !== 'destructive' || isAllowed || context.platform.isDryRun) return
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]))
  const { profile } = await context.platform.target()
  const { host } = await context.platform.address(operation.interface)
  const place = profile === undefined ? host : `${host}, profile ${profile}`
  await ask(
    context,
    `${operation.summary}: ${operation.method.toUpperCase()} ${path} on ${place}. This cannot be taken back.`,
  )
}

/** @param sentence what will be done */
async function ask(context: Context, sentence: string): Promise<void> {
  if (!context.in.isTerminal || !context.err.isTerminal) {
    throw new UsageError(`${sentence} There is no terminal to ask on: say --yes to do it.`)
  }
  await context.err.write(`${cleanText(sentence)}\n`)
  const answer = await askLine(context, 'Go on? [y/N] ')
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was sent.')
}
