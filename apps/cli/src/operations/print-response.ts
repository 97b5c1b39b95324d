import type { Operation } from '@cdn/api/contract'
import { createRedactor } from '@cdn/api/secrets'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import type { CommandContext } from '../program/command.ts'
import { CommandError, UsageError } from '../terminal/command-error.ts'
import { rememberNames } from './names.ts'
import { itemsIn, readPages } from './pages.ts'
import { hasNames, itemFields } from './schema.ts'
import type { OperationResponse, OperationValues, RequestTarget } from './send.ts'

type ListOperation = Pick<Operation, 'interface' | 'path' | 'responses'>

/** @throws UsageError if bytes would go to a terminal */
export function refuseBinaryOnTerminal({ out, platform }: CommandContext): void {
  if (out.isTerminal && !platform.isDryRun) throw new UsageError('The response is binary: redirect standard output')
}

/**
 * Prints the body of a successful response on standard output. Without a body, a terminal shows what the status means.
 */
export async function printResponse(
  context: CommandContext,
  { responses }: Pick<Operation, 'responses'>,
  { data, response }: OperationResponse,
): Promise<void> {
  if (data instanceof ReadableStream) {
    const isText = /^text\//i.test(response.headers.get('Content-Type') ?? '')
    if (!isText) refuseBinaryOnTerminal(context)
    const pieces = isText ? readLines(context, responses, data) : data
    for await (const piece of pieces) await context.out.write(piece)
    return
  }
  if (data !== undefined && data !== null) return context.output.value(data)
  const stated = responses.find(({ status }) => status === String(response.status) || status === '2XX')
  const text = stated?.description ?? 'Success.'
  if (context.err.isTerminal) await context.err.write(`${terminalText(`${response.status}: ${text}`)}\n`)
}

/** Maximum length of a line that has not ended, as in the client's reader of day files. */
const maxLine = 2 ** 20

/** Splits text into lines. Hides visitors' credentials (`x-line`). Sanitizes the lines for a terminal. */
async function* readLines(
  context: CommandContext,
  responses: Operation['responses'],
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  const fields = responses.find((response) => response.line)?.line
  const redactor = createRedactor({ lineFields: fields })
  const show = (text: string) => {
    const safe = context.showsSecrets ? text : redactor.text(text)
    return context.out.isTerminal ? terminalText(safe) : safe
  }
  let held = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = piece.split('\n')
    lines[0] = held + lines[0]
    held = assertDefined(lines.pop())
    if (held.length > maxLine) throw new CommandError(`A line of the response is longer than ${maxLine} characters.`)
    yield lines.map((text) => `${show(text)}\n`).join('')
  }
  if (held !== '') yield `${show(held)}\n`
}

/** Prints the items of one page of a list in the same form as those of all pages. */
export async function printPage(context: CommandContext, operation: ListOperation, data: unknown): Promise<void> {
  const items = itemsIn(data)
  // A response that violates the contract is printed unchanged.
  if (!items) return context.output.value(data)
  await printItems(context, operation, items)
  if (toRecord(data)['HasMoreItems'] === true)
    await context.err.write('cdn: This is one page of the list. --paginate prints all items.\n')
}

/**
 * Reads all pages of a list and prints their items as one list, as they arrive.
 *
 * @param timeoutMs maximum time of one page in ms, with all attempts
 * @param spell returns the option that sets a parameter, for the message
 * @throws UsageError if the request chooses a page; IncompleteListError; the errors of `send`
 */
export async function printPages(
  context: CommandContext,
  operation: RequestTarget & ListOperation,
  values: OperationValues,
  timeoutMs: number | undefined,
  spell: (parameter: string) => string = (parameter) => parameter,
): Promise<void> {
  const chosen = ['page', 'perPage'].filter((name) => name in values.query).map(spell)
  if (chosen.length > 0)
    throw new UsageError(`Omit ${chosen.join(' and ')}: --paginate reads all pages, and chooses their size.`)
  await printItems(context, operation, readPages(context, operation, values, timeoutMs))
}

function printItems(
  context: CommandContext,
  operation: ListOperation,
  items: AsyncIterable<object> | Iterable<object>,
) {
  const seen = hasNames(operation) ? rememberNames(context, operation.path, items) : items
  return context.output.records(seen, { order: itemFields(operation), empty: 'The list is empty.' })
}
