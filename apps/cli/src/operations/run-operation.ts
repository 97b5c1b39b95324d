import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { OpenApi, Operation, Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { readInputFile } from '@cdn/kit/input-file'
import { parseJson } from '@cdn/kit/json'
import { kebabCase } from '@cdn/kit/letter-case'
import { codeOf } from '@cdn/kit/system-error'
import { jsonText } from '../output/json.ts'
import type { CommandContext } from '../program/command.ts'
import { CommandError, UsageError } from '../terminal/command-error.ts'
import { confirm } from './confirm.ts'
import { resolveName } from './names.ts'
import { printPage, printPages, printResponse, refuseBinaryOnTerminal } from './print-response.ts'
import { acceptOf, documentOf, isPaged, namedList, type OptionTarget, type RequestOption } from './schema.ts'
import { send } from './send.ts'

interface OperationInput {
  readonly path: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, unknown>>
  readonly requestOptions: readonly RequestOption[]
}

/** Runs the command of an operation: checks the body, asks for confirmation, sends the request, prints the response. */
export async function runOperation(
  context: CommandContext,
  operation: Operation,
  { path: typed, options, requestOptions }: OperationInput,
): Promise<void> {
  const at = { query: {}, header: {}, body: {} } satisfies Record<OptionTarget['place'], Record<string, unknown>>
  for (const { option, target } of requestOptions) {
    const value = options[option.attributeName()]
    if (value !== undefined) Object.assign(at[target.place], { [target.name]: value })
  }
  const { body: source, yes, paginate, timeout } = options as OwnOptions
  const { parseAs, isBinary } = acceptOf(operation)
  if (isBinary) refuseBinaryOnTerminal(context)
  const body = await makeBody(context, operation, source, at.body, '--body')
  const path: Record<string, unknown> = { ...typed }
  for (const [name, value] of Object.entries(path)) {
    const list = /\D/.test(String(value)) ? namedList(operation, name) : undefined
    if (list) path[name] = await resolveName(context, list, String(value))
  }
  if (operation.effect === 'destructive' && !yes) await confirm(context, operation, path)
  const headers = Object.fromEntries(Object.entries(at.header).map(([name, value]) => [name, String(value)]))
  const values = { path, query: at.query, headers, ...body }
  if (paginate) return printPages(context, operation, values, timeout, (name) => `--${kebabCase(name)}`)
  const received = await send(context, operation, values, parseAs, timeout)
  if (isPaged(operation)) return printPage(context, operation, received.data)
  await printResponse(context, operation, received)
}

/** Options of every operation's command, which are not parameters of the request (`ownOptions`). */
interface OwnOptions {
  readonly body?: string
  readonly yes?: true
  readonly paginate?: true
  readonly timeout?: number
}

/**
 * Makes the body of a request, and checks it against the contract.
 *
 * @param source value of the option for the body (`readBody`); undefined if it was not given
 * @param fields values of body fields
 * @param option name of that option, for messages
 * @throws UsageError for a missing or invalid body; errors of `readBody`
 */
export async function makeBody(
  context: CommandContext,
  { requestBody, summary, interface: name }: Pick<Operation, 'requestBody' | 'summary' | 'interface'>,
  source: string | undefined,
  fields: Readonly<Record<string, unknown>>,
  option: BodyOption,
): Promise<CommandBody> {
  if (!requestBody) return {}
  const { content, required } = requestBody
  const types = Object.keys(content)
  const bytes = source === undefined ? undefined : await readBody(context, source, option)
  const hasFields = Object.keys(fields).length > 0
  if (!('application/json' in content) && (hasFields || (required && !bytes))) {
    const file = option === '--body' ? '@FILE' : 'FILE'
    throw new UsageError(`Missing ${option} ${file} or ${option} -: ${summary} takes ${types.join(' or ')}`)
  }
  // A missing required body is checked as an empty object, so that the message contains a field name.
  const isEmpty = !bytes && required && !hasFields
  const body = toBody(isEmpty ? new Uint8Array(Buffer.from('{}')) : bytes, fields, types)
  await checkBody(requestBody, body, documentOf({ interface: name }), option)
  return body
}

type BodyOption = '--body' | '--input'

export interface CommandBody {
  readonly body?: Uint8Array<ArrayBuffer>
  readonly type?: string
}

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Reads the content for `--body` or `--input`.
 *
 * @param source `@file` or `-` (standard input); other text is the body itself
 * @param option name of the option, for messages
 * @throws UsageError if standard input is a terminal, CommandError if the file cannot be read
 */
export async function readBody(context: CommandContext, source: string, option: string): Promise<Bytes> {
  if (source === '-' || source === '@-') {
    const input = context.stdin()
    if (!input.isTTY) return new Uint8Array(await buffer(addAbortSignal(context.signal, input)))
    throw new UsageError(`${option} ${source} reads standard input, which is a terminal: give a file or a pipe`)
  }
  if (!source.startsWith('@')) return new Uint8Array(Buffer.from(source))
  const file = source.slice(1)
  try {
    return new Uint8Array(await readInputFile(file))
  } catch (error) {
    throw new CommandError(`${option}: ${file} cannot be read: ${codeOf(error)}`)
  }
}

/**
 * Merges fields into a JSON body. Without fields, the bytes stay unchanged.
 *
 * @param types accepted media types of the operation
 * @throws UsageError if there are fields and the bytes are not a JSON object
 */
export function toBody(
  bytes: Bytes | undefined,
  fields: Readonly<Record<string, unknown>>,
  types: readonly string[],
): CommandBody {
  if (Object.keys(fields).length > 0) {
    const text = jsonText({ ...(bytes && readObject(bytes)), ...fields })
    return { body: new Uint8Array(Buffer.from(text)), type: 'application/json' }
  }
  const type = types.find((name) => name === 'application/json') ?? types[0]
  return bytes ? { body: bytes, type: type ?? 'application/octet-stream' } : {}
}

function readObject(bytes: Uint8Array): object {
  const value = parse(bytes, '--body', parseJson)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UsageError('Invalid --body: expected a JSON object, because there are options for its fields')
}

function parse(bytes: Uint8Array, option: string, read: (text: string) => unknown): unknown {
  try {
    return read(new TextDecoder().decode(bytes))
  } catch {
    throw new UsageError(`Invalid JSON in ${option}`)
  }
}

/**
 * Checks a JSON body against the contract's schema before it is sent.
 *
 * @param api document that has the referenced schemas
 * @param option option that gave the body, for messages: `--body` of an operation's command, `--input` of `cdn api`
 * @throws UsageError with the field and its expected value
 */
export async function checkBody(
  { content }: NonNullable<Operation['requestBody']>,
  { body, type = '' }: CommandBody,
  api: OpenApi,
  option: BodyOption,
): Promise<void> {
  const schema: Schema | undefined = content[type]
  if (!body || !schema || type !== 'application/json') return
  const value = parse(body, option, JSON.parse)
  const { createValidators } = await import('@cdn/kit/contract-validator')
  const validate = createValidators(false)(schema, api)
  if (validate(value)) return
  const { instancePath, keyword, params, message = 'is invalid' } = assertDefined(validate.errors?.[0])
  const place = instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required') {
    const name = [place, String(params['missingProperty'])].filter(Boolean).join('.')
    const ofField = option === '--body' ? `--${kebabCase(name)}` : `--field ${name}=VALUE`
    const field = place === '' ? `${ofField}, or the field` : 'the field'
    throw new UsageError(`Missing ${name} in the body: give ${field} in ${option}`)
  }
  const values = Array.isArray(params['allowedValues']) ? `: ${params['allowedValues'].join(', ')}` : ''
  const what = keyword === 'minLength' && params['limit'] === 1 ? 'must not be empty' : message.replace('NOT', 'not')
  throw new UsageError(`Invalid ${place === '' ? 'body' : `${place} in the body`}: ${what}${values}`)
}
