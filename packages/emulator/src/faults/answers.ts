import type { Operation } from '@cdn/api/contract'
import type { Answer } from '../http/call.ts'
import { toExact } from '../http/json.ts'
import type { Wire } from './wire.ts'

/** An answer that never reaches the caller, without effect. Its status is 0, as that of `Response.error()`. */
export const noAnswer: Answer = { status: 0, headers: {}, body: null }

/** The same answer, which has something else happen to it on its way. */
export function onWire(answer: Answer, wire: Wire): Answer {
  return { ...answer, wire: { ...answer.wire, ...wire } }
}

/**
 * The same answer with another page of log entries; any other answer as it is.
 *
 * @param change gives what to replace in the page
 */
export function editPage(
  operation: Operation,
  answer: Answer,
  change: (page: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Answer {
  if (!isPage(operation, answer)) return answer
  const page = parseExact(textOf(answer)) as Readonly<Record<string, unknown>>
  return { ...answer, body: JSON.stringify({ ...page, ...change(page) }) }
}

/** Whether an answer is a page of version 2 of the logs. */
export function isPage({ interface: name }: Operation, { status, headers }: Answer): boolean {
  return name === 'logging' && status === 200 && headers['content-type'] === 'application/json'
}

/** The whole body; one in parts is read to its end. */
export function textOf({ body }: Answer): string {
  if (body === null) return ''
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  return typeof body === 'string' ? body : [...body].join('')
}

/** TypeScript 5.9 does not know the reviver's third argument. */
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

/** JSON whose numbers are written again with all their digits. */
function parseExact(text: string): unknown {
  const exact: Reviver = (_key, value, { source }) => (typeof value === 'number' ? toExact(source) : value)
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1])
}
