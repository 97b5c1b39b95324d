/** Functions that alter the calls to the platform and its responses. */
import { setTimeout } from 'node:timers/promises'
import type { Operation } from '@cdn/api/contract'
import type { Emulator, EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import { type Behaviour, onOperations } from './mutant.ts'

/** The request that an alteration changes, its operation, and the emulator that answers it. */
export interface AlteredCall {
  readonly call: EmulatorRequest
  readonly operation: Operation
  readonly emulator: Emulator
}

/** Changes the platform's response. */
export function alterResponse(
  names: readonly string[],
  change: (response: EmulatorResponse, altered: AlteredCall) => EmulatorResponse,
): Behaviour {
  return onOperations(
    names,
    (emulator) => async (call, operation, next) => change(await next(call, operation), { call, operation, emulator }),
  )
}

/** Changes the call that the platform receives. */
export function alterCall(
  names: readonly string[],
  change: (call: EmulatorRequest, altered: AlteredCall) => EmulatorRequest,
): Behaviour {
  return onOperations(
    names,
    (emulator) => (call, operation, next) => next(change(call, { call, operation, emulator }), operation),
  )
}

/** Makes the platform apply a changed definition of an operation, such as another rate limit or other scopes. */
export function alterOperation(names: readonly string[], change: (operation: Operation) => Operation): Behaviour {
  const changed = new Map<Operation, Operation>()
  return onOperations(names, () => (call, operation, next) => {
    const other = changed.get(operation) ?? change(operation)
    changed.set(operation, other)
    return next(call, other)
  })
}

/** Marks a request that `alterPath` sends itself. */
const reentryHeader = 'x-reentry'

/**
 * Requests another path. The platform has parsed the path before a behaviour sees the call, so a new request is sent.
 */
export function alterPath(names: readonly string[], change: (path: string, emulator: Emulator) => string): Behaviour {
  return onOperations(names, (emulator) => async (call, operation, next) => {
    const path = change(call.path, emulator)
    if (call.headers.get(reentryHeader) || path === call.path) return next(call, operation)
    const base = operation.interface === 'management' ? emulator.managementUrl : emulator.loggingUrl
    const url = new URL(`${path}${call.query && `?${call.query}`}`, base)
    const sent = (name: string) => call.headers.get(name) ?? ''
    const headers = { AccessKey: sent('AccessKey'), Authorization: sent('Authorization'), [reentryHeader]: 'yes' }
    const response = await emulator.fetch(url, { method: call.method, headers })
    const type = response.headers.get('content-type')
    return {
      status: response.status,
      headers: type === null ? {} : { 'content-type': type },
      body: response.body && (await response.text()),
    }
  })
}

export function withStatus(response: EmulatorResponse, status: number): EmulatorResponse {
  return { ...response, status, body: status === 204 ? null : (response.body ?? '') }
}

export function swapStatus(from: number, to: number): (response: EmulatorResponse) => EmulatorResponse {
  return (response) => (response.status === from ? withStatus(response, to) : response)
}

/** Returns the whole body as text, even if it consists of parts. */
export function textOf({ body }: EmulatorResponse): string {
  if (body === null) return ''
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : [...body].join('')
}

/** Changes the text of a response with the given status. Other responses, and responses without a body, stay unchanged. */
export function editText(
  response: EmulatorResponse,
  status: number,
  change: (text: string) => string,
): EmulatorResponse {
  if (response.status !== status) return response
  const text = textOf(response)
  return { ...response, body: text === '' ? null : change(text) }
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Changes the JSON object of a response with the given status. An id above 2^53 would lose digits, but no response has one. */
export function editJson<Value extends object = JsonObject>(
  response: EmulatorResponse,
  status: number,
  change: (value: Value) => unknown,
): EmulatorResponse {
  return editText(response, status, (text) => JSON.stringify(change(JSON.parse(text))))
}

/** Returns the same call with another value of a header. The value null removes the header. */
export function withHeader(call: EmulatorRequest, name: string, value: string | null): EmulatorRequest {
  const get = (wanted: string) => (wanted.toLowerCase() === name.toLowerCase() ? value : call.headers.get(wanted))
  return { ...call, headers: { get } }
}

export function withQuery(call: EmulatorRequest, change: (query: URLSearchParams) => void): EmulatorRequest {
  const query = new URLSearchParams(call.query)
  change(query)
  return { ...call, query: query.toString() }
}

export function withBody(call: EmulatorRequest, value: unknown): EmulatorRequest {
  const bytes = new TextEncoder().encode(stringifyJson(value))
  return { ...call, body: async () => bytes }
}

/** Returns the same call with a body that can be read several times. */
export function keepBody(call: EmulatorRequest): EmulatorRequest {
  let reading: Promise<Uint8Array> | undefined
  const body = () => {
    reading ??= call.body()
    return reading
  }
  return { ...call, body }
}

/** Returns the JSON body of a request, or undefined if the body is empty or invalid. */
export async function jsonBody(call: EmulatorRequest): Promise<unknown> {
  try {
    return parseJson(new TextDecoder().decode(await call.body()))
  } catch {
    return undefined
  }
}

export function isSuccess({ status }: EmulatorResponse): boolean {
  return status >= 200 && status < 300
}

/** Answers reads that are served at the same time with the response of the last one. */
export function sharedResponse(name: string): Behaviour {
  return onOperations([name], () => {
    let last: EmulatorResponse
    return async (call, operation, next) => {
      const response = await next(call, operation)
      if (response.status !== 200) return response
      last = response
      await setTimeout(30)
      return last
    }
  })
}
