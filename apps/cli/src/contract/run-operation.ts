import { contracts, type Operation } from '@cdn/api/contract'
import type { Input } from '../command/command.ts'
import { confirmDestruction } from '../context/confirm.ts'
import type { Context } from '../context/context.ts'
import { UsageError } from '../errors/command-error.ts'
import { toJson } from '../output/json.ts'
import { readBody } from './body.ts'
import { parseExact } from './exact-json.ts'
import type { Target } from './operation-command.ts'
import { parseAsOf, printAnswer } from './print-answer.ts'
import { jsonBodySchema } from './schema.ts'
import { send } from './send.ts'
import { checkBody } from './validate-body.ts'

/**
 * Runs the command of an operation: checks what can be checked here, asks where something is destroyed, sends, prints.
 *
 * @param targets where the value of each option goes
 */
export async function runOperation(
  context: Context,
  operation: Operation,
  targets: Readonly<Record<string, Target>>,
  { arguments: path, options }: Input,
): Promise<void> {
  const given = Object.entries(targets).filter(([name]) => isGiven(options[name]))
  const at = (place: Target['place']) =>
    Object.fromEntries(
      given.flatMap(([option, target]) => (target.place === place ? [[target.name, options[option]]] : [])),
    )
  const body = await makeBody(context, operation, options['body'] as string | undefined, at('body'))
  await confirmDestruction(context, operation, path, options['yes'] === true)
  const headers = Object.fromEntries(Object.entries(at('header')).map(([name, value]) => [name, String(value)]))
  const answer = await send(context, operation, { path, query: at('query'), headers, ...body }, parseAsOf(operation))
  await printAnswer(context, operation, answer)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

interface Body {
  readonly body?: Uint8Array<ArrayBuffer>
  readonly type?: string
}

/** The body of `--body`, with the fields put into it; of the fields alone where there is no `--body`. */
async function makeBody(
  context: Context,
  operation: Operation,
  source: string | undefined,
  fields: Readonly<Record<string, unknown>>,
): Promise<Body> {
  const { requestBody } = operation
  if (!requestBody) return {}
  const hasFields = Object.keys(fields).length > 0
  const bytes = source === undefined ? undefined : await readBody(context, source, '--body')
  const schema = jsonBodySchema(operation)
  if (!schema) {
    if (!bytes && requestBody.required)
      throw new UsageError(
        `--body @FILE or --body - is missing: ${operation.summary} takes ${Object.keys(requestBody.content).join(' or ')}`,
      )
    return bytes ? { body: bytes, type: Object.keys(requestBody.content)[0] ?? 'application/octet-stream' } : {}
  }
  if (!bytes && !hasFields && !requestBody.required) return {}
  const text = hasFields || !bytes ? toJson({ ...readObject(bytes), ...fields }) : new TextDecoder().decode(bytes)
  await checkBody(schema, text, contracts[operation.interface].openapi.full, '--body')
  return { body: hasFields || !bytes ? new Uint8Array(Buffer.from(text)) : bytes, type: 'application/json' }
}

function readObject(bytes: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  if (!bytes) return {}
  let value: unknown
  try {
    value = parseExact(new TextDecoder().decode(bytes))
  } catch {
    throw new UsageError('--body is no JSON')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new UsageError('--body must be a JSON object where fields are given as options, too')
}
