/** Building blocks for mutants of the logs. */
import type { Operation } from '@cdn/api/contract'
import type { EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import {
  type AlteredCall,
  alterCall,
  alterResponse,
  editJson,
  editText,
  type JsonObject,
  textOf,
  withQuery,
} from './alter-calls.ts'
import { type Behaviour, onOperations } from './mutant.ts'

/** Names (`x-name`) of the operations of version 2, of version 1, and of both. */
export const v2 = ['query-logs']
export const v1 = ['read-log-file']
export const bothVersions = [...v2, ...v1]

type Next = (call: EmulatorRequest) => Promise<EmulatorResponse>
type Emulator = Parameters<Behaviour>[0]

export interface SeenRequest {
  readonly call: EmulatorRequest
  readonly operation: Operation
  readonly query: URLSearchParams
  readonly next: Next
  /** Sends a request of the server itself to the platform. It does not count for the rate limit. */
  readonly ask: Next
}

/**
 * Creates a behaviour of the named operations, which can send further requests to the platform.
 *
 * @param create creates the behaviour of one server, which can remember earlier requests
 */
export function createBehaviour(
  names: readonly string[],
  create: (emulator: Emulator) => (seen: SeenRequest) => Promise<EmulatorResponse>,
): Behaviour {
  return onOperations(names, (emulator) => {
    const serve = create(emulator)
    return (call, operation, next) => {
      const { rateLimit: _unlimited, ...free } = operation
      const query = new URLSearchParams(call.query)
      return serve({
        ...{ call, operation, query },
        next: (changed) => next(changed, operation),
        ask: (other) => next(other, free),
      })
    }
  })
}

/** Changes the query parameters of each call. */
export function alterQuery(
  names: readonly string[],
  change: (query: URLSearchParams, altered: AlteredCall) => unknown,
): Behaviour {
  return alterCall(names, (call, altered) => withQuery(call, (sent) => change(sent, altered)))
}

/** Changes a query parameter if the query has it; a change to undefined removes it. */
export function alterParameter(
  names: readonly string[],
  name: string,
  change: (value: string) => string | undefined,
): Behaviour {
  return alterQuery(names, (sent) => {
    const text = sent.get(name)
    const changed = text === null ? undefined : change(text)
    if (changed === undefined) sent.delete(name)
    else sent.set(name, changed)
  })
}

/** Swaps `asc` and `desc`; any other text stays. */
export function reverseOrder(order: string): string {
  return { asc: 'desc', desc: 'asc' }[order] ?? order
}

/** Changes the start or the end of the range of version 2, in ms since 1970. An invalid time stays. */
export function alterRangeEnd(name: 'from' | 'to', change: (time: number) => number): Behaviour {
  return alterParameter(v2, name, (text) =>
    Number.isNaN(Date.parse(text)) ? text : new Date(change(Date.parse(text))).toISOString(),
  )
}

/** Body of a response of version 2. */
export interface Page {
  readonly data: readonly JsonObject[] | null
  readonly pagination: { readonly limit: number; readonly returned: number; readonly hasMore: boolean }
  readonly query: { readonly from: string; readonly to: string }
}

export function alterPage(change: (page: Page, altered: AlteredCall) => unknown): Behaviour {
  return alterResponse(v2, (response, altered) => editJson<Page>(response, 200, (shown) => change(shown, altered)))
}

export function alterPageText(change: (text: string, altered: AlteredCall) => string): Behaviour {
  return alterResponse(v2, (response, altered) => editText(response, 200, (text) => change(text, altered)))
}

/** Returns the page with other entries and their count. */
export function withRows(shown: Page, data: readonly JsonObject[]): Page {
  return { ...shown, data, pagination: { ...shown.pagination, returned: data.length } }
}

export function alterRows(
  change: (rows: readonly JsonObject[], altered: AlteredCall) => readonly JsonObject[],
): Behaviour {
  return alterPage((shown, altered) => withRows(shown, change(shown.data ?? [], altered)))
}

/** Changes the lines of each file of version 1. */
export function alterLines(change: (lines: readonly string[], altered: AlteredCall) => readonly string[]): Behaviour {
  return alterResponse(v1, (response, altered) =>
    editText(response, 200, (text) =>
      change(text.split('\n').filter(Boolean), altered)
        .map((line) => `${line}\n`)
        .join(''),
    ),
  )
}

/** Creates an error of the logging interface, with the code of the contract. */
export function logError(operation: Operation, status: number): EmulatorResponse {
  const code = operation.responses.find((response) => response.status === String(status))?.errorCode
  const body = JSON.stringify({ error: { code, message: '' } })
  return { status, headers: { 'content-type': 'application/json' }, body }
}

/** Returns the number in a query parameter, or the default; NaN for any other text. */
export function numberOf(sent: URLSearchParams, name: 'offset' | 'limit'): number {
  return Number(sent.get(name) ?? (name === 'offset' ? 0 : 100))
}

export const isLaterPage = (sent: URLSearchParams) => numberOf(sent, 'offset') > 0

/** Whether a query names its whole range, so that its response can be cached. */
export const hasFixedRange = (sent: URLSearchParams) => sent.has('from') && sent.has('to')

/** Returns the entries of a page of version 2; none for an error. */
export function entriesOf(response: EmulatorResponse): readonly JsonObject[] {
  return response.status === 200 ? (JSON.parse(textOf(response)).data ?? []) : []
}

/** Sends the query with another offset and limit, and returns its entries. */
export async function entriesAt(
  { call, ask }: Pick<SeenRequest, 'call' | 'ask'>,
  offset: number,
  limit: number,
  change: (sent: URLSearchParams) => void = () => {},
): Promise<readonly JsonObject[]> {
  const other = withQuery(call, (sent) => {
    sent.set('offset', `${offset}`)
    sent.set('limit', `${limit}`)
    change(sent)
  })
  return entriesOf(await ask(other))
}

/** Serves the page at another offset. The response names the requested offset, with all its digits. */
export async function servePageAtOffset({ call, ask }: SeenRequest, offset: number): Promise<EmulatorResponse> {
  const requested = new URLSearchParams(call.query).get('offset') ?? '0'
  const response = await ask(withQuery(call, (sent) => sent.set('offset', String(offset))))
  return editText(response, 200, (text) =>
    text.replace(/"pagination":\{"offset":\d+/, `"pagination":{"offset":${requested}`),
  )
}

/** Returns the id of the pull zone in a path of the logs. */
export function zoneInPath(path: string): string {
  return /(\d+)(?:\.log|\/logs)/.exec(path)?.[1] ?? path
}
