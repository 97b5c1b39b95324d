/** Parts of mutants of the logs. */
import type { Operation } from '@cdn/api/contract'
import type { EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { alterCall, editText, type JsonObject, textOf, withQuery } from '../alter.ts'
import { type Behaviour, on } from '../mutant.ts'

/** `x-name`s of version 2, of version 1, and of both. */
export const pageNames = ['query-logs']
export const fileNames = ['read-log-file']
export const logNames = [...pageNames, ...fileNames]

type Next = (call: EmulatorRequest) => Promise<EmulatorResponse>

/** One request, as a mistake receives it. */
export interface SeenRequest {
  readonly call: EmulatorRequest
  readonly operation: Operation
  readonly query: URLSearchParams
  readonly next: Next
  /** Sends a request of the server itself to the platform. It does not count for the rate limit. */
  readonly ask: Next
}

type Emulator = Parameters<Behaviour>[0]

/**
 * Creates a behaviour of some operations.
 *
 * @param create creates the behaviour of one server, which can remember earlier requests
 */
export function seeing(
  names: readonly string[],
  create: (emulator: Emulator) => (seen: SeenRequest) => Promise<EmulatorResponse>,
): Behaviour {
  return on(names, (emulator) => {
    const serve = create(emulator)
    return (call, operation, next) => {
      const { rateLimit: _unlimited, ...free } = operation
      return serve({
        call,
        operation,
        query: new URLSearchParams(call.query),
        next: (changed) => next(changed, operation),
        ask: (other) => next(other, free),
      })
    }
  })
}

/** Changes the query parameters of the calls that a condition selects. */
export function alterParameters(
  names: readonly string[],
  applies: (query: URLSearchParams) => boolean,
  change: (query: URLSearchParams) => void,
): Behaviour {
  return alterCall(names, (call) => (applies(new URLSearchParams(call.query)) ? withQuery(call, change) : call))
}

/** Creates an error of the logging interface, with the code of the contract. */
export function logError(operation: Operation, status: number, message = ''): EmulatorResponse {
  const code = operation.responses.find((response) => response.status === String(status))?.errorCode
  return errorWith(status, code, message)
}

/** Creates an error of the logging interface with the given code. */
export function errorWith(status: number, code: string | undefined, message = ''): EmulatorResponse {
  const body = JSON.stringify({ error: { code, message } })
  return { status, headers: { 'content-type': 'application/json' }, body }
}

/** Returns the number in a query parameter, or the default; NaN for any other text. */
export function numberOf(query: URLSearchParams, name: 'offset' | 'limit'): number {
  return Number(query.get(name) ?? (name === 'offset' ? 0 : 100))
}

export const isLaterPage = (query: URLSearchParams) => numberOf(query, 'offset') > 0

/** Returns the entries of a page of version 2; none for an error. */
export function entriesOf(response: EmulatorResponse): readonly JsonObject[] {
  return response.status === 200 ? (JSON.parse(textOf(response)).data ?? []) : []
}

/** Returns the time of an entry in milliseconds. */
export function timeOf(entry: JsonObject): number {
  return Date.parse(String(entry['timestamp']))
}

/** Serves a page with another offset. The response names the requested one, with all its digits. */
export async function atOffset(
  { call, next }: Pick<SeenRequest, 'call' | 'next'>,
  offset: number,
): Promise<EmulatorResponse> {
  const requested = new URLSearchParams(call.query).get('offset') ?? '0'
  const response = await next(withQuery(call, (query) => query.set('offset', String(offset))))
  return editText(response, 200, (text) =>
    text.replace(/"pagination":\{"offset":\d+/, `"pagination":{"offset":${requested}`),
  )
}
