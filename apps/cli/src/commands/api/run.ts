import type { CallError } from '@cdn/api'
import type { Operation } from '@cdn/api/contract'
import { confirmDestruction } from '../../context/confirm.ts'
import type { Context } from '../../context/context.ts'
import { parseExact } from '../../contract/exact-json.ts'
import { parseAsOf, printAnswer } from '../../contract/print-answer.ts'
import { type Answer, send } from '../../contract/send.ts'
import { UsageError } from '../../errors/command-error.ts'
import { cleanLines, cleanText } from '../../output/text.ts'
import { readBodyOf } from './read-body.ts'
import { readHeaders, readPairs } from './read-pairs.ts'
import { checkRequest, findOperation } from './validate.ts'

/** What was typed. */
export interface ApiInput {
  readonly arguments: { readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'; readonly path: string }
  readonly options: {
    readonly field: readonly string[]
    readonly query: readonly string[]
    readonly header: readonly string[]
    readonly input: string | undefined
    readonly include: boolean
    readonly interface: 'management' | 'logging' | undefined
    readonly force: boolean
    readonly yes: boolean
  }
}

/** Sends one request. */
export async function runApi(
  context: Context,
  { arguments: { method, path: typed }, options }: ApiInput,
): Promise<void> {
  const [path = '', search = ''] = typed.split(/\?(.*)/s)
  const found = findOperation(method, path, options)
  const { operation } = found
  const query = [...new URLSearchParams(search), ...readPairs(options.query, '--query')]
  const headers = readHeaders(options.header)
  const body = await readBodyOf(context, operation, options)
  if (method === 'GET' && body.body) throw new UsageError('GET takes no body')
  const checked = options.force ? { path: {}, query: grouped(query) } : await checkRequest(found, query, body)
  await confirmDestruction(context, operation, checked.path, options.yes)
  // Without a check the path goes as it was typed.
  const sendable = options.force ? { ...operation, path: path.replaceAll(/[{}#]/g, encodeURIComponent) } : operation
  const parseAs = operation.ground === undefined ? 'text' : parseAsOf(operation)
  try {
    const answer = await send(context, sendable, { ...checked, headers, ...body }, parseAs)
    if (options.include) await context.out.write(headOf(answer.response, context.out.isTerminal))
    await printAnswer(context, operation, parseAs === 'text' ? readText(answer) : answer)
  } catch (error) {
    await printRefusal(context, error, options.include)
    throw error
  }
}

/** What `findOperation` gives: the contract's operation, or as much of one as a path has that the contract does not know. */
export type Known = Pick<Operation, 'interface' | 'method' | 'path' | 'schemes' | 'summary' | 'effect' | 'responses'> &
  Partial<Operation>

function grouped(pairs: readonly (readonly [string, string])[]): Record<string, readonly string[]> {
  const names = new Set(pairs.map(([name]) => name))
  return Object.fromEntries(
    [...names].map((name) => [name, pairs.filter(([key]) => key === name).map(([, value]) => value)]),
  )
}

/** A body whose type nobody states: JSON where it is JSON. */
function readText({ data, response }: Answer): Answer {
  try {
    return { data: parseExact(String(data)), response }
  } catch {
    const body = new Response(String(data ?? '')).body
    return { data: data ? body : undefined, response }
  }
}

/** Scripts want the body of a refusal, too. It is bounded and redacted by the client. */
async function printRefusal(context: Context, error: unknown, isHeadWanted: boolean): Promise<void> {
  const { text, status } = error as Partial<CallError>
  if (status === undefined || typeof text !== 'string') return
  if (isHeadWanted) await context.out.write(`HTTP ${status}\n\n`)
  if (text !== '') await context.out.write(`${context.out.isTerminal ? cleanLines(text) : text}\n`)
}

function headOf({ status, headers }: Response, isTerminal: boolean): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${isTerminal ? cleanText(value) : value}\n`)
  return `HTTP ${status}\n${lines.join('')}\n`
}
