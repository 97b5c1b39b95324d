import { isApiError } from '@cdn/api'
import { parseJson } from '@cdn/kit/json'
import { cleanLines } from '@cdn/kit/text'
import { confirm } from '../../operations/confirm.ts'
import { printPages, printResponse, refuseBinaryOnTerminal } from '../../operations/print-response.ts'
import { type CommandBody, makeBody, readBody, toBody } from '../../operations/run-operation.ts'
import { acceptOf, documentOf, flatten, isPaged, typesOf } from '../../operations/schema.ts'
import { type OperationResponse, send } from '../../operations/send.ts'
import { jsonText } from '../../output/json.ts'
import { secrets } from '../../output/secrets.ts'
import type { CommandContext } from '../../program/command.ts'
import { alternatives, isGitBashPath } from '../../program/value-type.ts'
import { UsageError } from '../../terminal/command-error.ts'
import { findOperation, forceAdvice, type KnownOperation, readPath, readQuery, withoutFolder } from './match.ts'
import { type ApiMethod, methods } from './methods.ts'

interface ApiOptions {
  readonly field?: readonly string[] | undefined
  readonly param?: readonly string[] | undefined
  readonly input?: string | undefined
  readonly paginate?: true | undefined
  readonly interface?: string | undefined
  readonly force?: true | undefined
  readonly timeout?: number | undefined
  readonly yes?: true | undefined
}

/** Sends the request `PATH` or `METHOD PATH`; with `--paginate`, one request for each page. */
export async function runApi(
  context: CommandContext,
  first: string,
  second: string | undefined,
  options: ApiOptions,
): Promise<void> {
  const { method, path: target } = readTarget(first, second)
  const { timeout } = options
  const force = options.force === true
  const path = target.replace(/\?.*/s, '')
  const match = findOperation(method, path, { force, interface: options.interface })
  const { operation } = match
  const pairs = [...new URLSearchParams(target.slice(path.length + 1)), ...readPairs(options.param, '--param')]
  if (method === 'GET' && (options.input ?? options.field)) throw new UsageError('GET takes no body')
  const body = await readBodyOf(context, operation, options)
  const parameters = force ? {} : readPath(match)
  const query = readQuery(operation, pairs, force)
  const accept = acceptOf(operation)
  if (accept.isBinary) refuseBinaryOnTerminal(context)
  // With --force, the path is sent as typed; only `{`, `}` and `#` are percent-encoded.
  const sendable = force ? { ...operation, path: path.replaceAll(/[{}#]/g, encodeURIComponent) } : operation
  if (sendable.effect === 'destructive' && !options.yes) await confirm(context, sendable, parameters)
  const values = { path: parameters, query, headers: {}, ...body }
  if (options.paginate) {
    if (!isPaged(operation)) throw new UsageError(`${method} ${path} is not a list with pages: omit --paginate.`)
    return printPages(context, sendable, values, timeout)
  }
  const parseAs = operation.source === undefined ? 'text' : accept.parseAs
  try {
    const received = await send(context, sendable, values, parseAs, timeout)
    await printResponse(context, operation, parseAs === 'text' ? readText(received) : received)
  } catch (error) {
    await printRefusal(context, error)
    throw error
  }
}

function readTarget(first: string, second: string | undefined): { method: ApiMethod; path: string } {
  const given = second ?? first
  const method = second === undefined ? 'GET' : methods.find((name) => name === first.toUpperCase())
  if (!method) throw new UsageError(`Invalid method ${JSON.stringify(first)}: expected ${alternatives(methods)}.`)
  if (isGitBashPath(given)) {
    const path = withoutFolder(method, given)
    const right = path === undefined ? 'omit the first slash, as in pullzone/2001' : `write ${path.slice(1)}`
    throw new UsageError(
      `Invalid path ${JSON.stringify(given)}: Git Bash has turned the slash at its start into a folder; ${right}.`,
    )
  }
  if (/^\/\/|^[^/?]*:\/\//.test(given)) {
    throw new UsageError(`Invalid path ${JSON.stringify(given)}: expected a path without host, such as pullzone/2001.`)
  }
  return { method, path: given.startsWith('/') ? given : `/${given}` }
}

/** @throws UsageError that does not repeat the value */
function readPairs(pairs: readonly string[] = [], option: string): [string, string][] {
  return pairs.map((pair) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || value === undefined) throw new UsageError(`Invalid ${option}: expected NAME=VALUE`)
    return [name, value]
  })
}

async function readBodyOf(
  context: CommandContext,
  operation: KnownOperation,
  { field = [], input, force }: ApiOptions,
): Promise<CommandBody> {
  if (input !== undefined && field.length > 0) throw new UsageError('Give --field or --input, not both')
  const fields = readFields(operation, field, force === true)
  const source = input === undefined || input === '-' ? input : `@${input.replace(/^@/, '')}`
  if (!force && operation.requestBody) return makeBody(context, operation, source, fields, '--input')
  const { method, path, requestBody } = operation
  if (!force && (source ?? field[0]))
    throw new UsageError(`${method.toUpperCase()} ${path} takes no body. ${forceAdvice}`)
  const bytes = source === undefined ? undefined : await readBody(context, source, '--input')
  return toBody(bytes, fields, Object.keys(requestBody?.content ?? {}))
}

/**
 * The fields of a JSON body. The contract decides which are texts and lists. Any other value is parsed as JSON; if it is invalid JSON,
 * it is text.
 */
function readFields(operation: KnownOperation, given: readonly string[], force: boolean): Record<string, unknown> {
  const schema = operation.requestBody?.content['application/json']
  const { properties = {} } = schema ? flatten(schema, documentOf(operation)) : {}
  const pairs = readPairs(given, '--field').map(([name, text]) => {
    const types = force ? [] : typesOf(flatten(properties[name] ?? {}, documentOf(operation)))
    const value = types.includes('string') ? text : parseOrText(text)
    return [name, types.includes('array') && !Array.isArray(value) ? [value] : value]
  })
  return Object.fromEntries(pairs)
}

function parseOrText(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function readText({ data, response }: OperationResponse): OperationResponse {
  const text = String(data ?? '')
  const value = parseOrText(text)
  if (value !== text) return { data: value, response }
  return { data: text === '' ? undefined : new Response(text).body, response }
}

/** Prints an error response, because scripts also need its body. The client has shortened and redacted the body. */
async function printRefusal(context: CommandContext, error: unknown): Promise<void> {
  if (!isApiError(error)) return
  const { body } = error
  const safe = context.showsSecrets ? body : secrets.value(body)
  const text = typeof safe === 'string' ? safe : safe === undefined ? '' : jsonText(safe)
  if (text !== '') await context.out.write(`${context.out.isTerminal ? cleanLines(text) : text}\n`)
}
