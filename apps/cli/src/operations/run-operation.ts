import type { Operation } from '@cdn/api/contract'
import { type CommandValues, textOption } from '../commands/program/declaration.ts'
import { UsageError } from '../terminal/command-error.ts'
import type { CommandContext } from '../terminal/context.ts'
import { confirm } from '../terminal/prompt.ts'
import { type CommandBody, checkBody, readBody, toBody } from './body.ts'
import { acceptOf, checkTerminal, printAnswer } from './print-answer.ts'
import { isZone, resolveZone } from './resolve-zone.ts'
import { documentOf } from './schema.ts'
import { send } from './send.ts'

/** Where the value of an option goes in the request. */
export interface OptionTarget {
  readonly place: 'query' | 'header' | 'body'
  readonly name: string
}

/**
 * Runs the command of an operation: checks the body, asks for confirmation, sends the request, prints the response.
 *
 * @param targets where each option's value goes in the request
 */
export async function runOperation(
  context: CommandContext,
  operation: Operation,
  targets: Readonly<Record<string, OptionTarget>>,
  { arguments: typed, options }: CommandValues,
): Promise<void> {
  const given = Object.entries(targets).filter(([name]) => isGiven(options[name]))
  const at = (place: OptionTarget['place']) =>
    Object.fromEntries(
      given.flatMap(([option, target]) => (target.place === place ? [[target.name, options[option]]] : [])),
    )
  const fileOption = { file: textOption(options, 'output-file') }
  const { parseAs, isBinary } = acceptOf(operation)
  if (isBinary) checkTerminal(context, fileOption)
  const body = await makeBody(context, operation, textOption(options, 'body'), at('body'))
  const path = await resolveZones(context, operation, typed)
  await confirm(context, operation, path, options['yes'] === true)
  const headers = Object.fromEntries(Object.entries(at('header')).map(([name, value]) => [name, String(value)]))
  const timeout = typeof options['timeout'] === 'number' ? options['timeout'] : undefined
  const answer = await send(context, operation, { path, query: at('query'), headers, ...body }, parseAs, timeout)
  await printAnswer(context, operation, answer, fileOption)
}

async function resolveZones(context: CommandContext, operation: Operation, path: CommandValues['arguments']) {
  const entries = Object.entries(path).map(async ([name, value]) => {
    const isName = typeof value === 'string' && isZone(operation, name)
    return [name, isName ? await resolveZone(context, value) : value] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

/** Creates the body from `--body` and from the options for its fields. */
async function makeBody(
  context: CommandContext,
  { requestBody, summary, interface: name }: Operation,
  source: string | undefined,
  fields: Readonly<Record<string, unknown>>,
): Promise<CommandBody> {
  if (!requestBody) return {}
  const { content, required } = requestBody
  const types = Object.keys(content)
  const bytes = source === undefined ? undefined : await readBody(context, source, '--body')
  if (!bytes && required && !('application/json' in content)) {
    throw new UsageError(`Missing --body @FILE or --body -: ${summary} takes ${types.join(' or ')}`)
  }
  // A missing body is checked as an empty object, so that the message contains a field name.
  const isEmpty = !bytes && required && Object.keys(fields).length === 0
  const body = toBody(isEmpty ? new Uint8Array(Buffer.from('{}')) : bytes, fields, types)
  await checkBody(requestBody, body, documentOf({ interface: name }), '--body')
  return body
}
