import type { Operation } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import { toRecord } from '@cdn/kit/record'
import type { EmulatorResponse } from '../http/messages.ts'
import type { TransportEffects } from './transport-effects.ts'

/** A response that never reaches the caller. The status is 0, as in `Response.error()`. */
export const noResponse: EmulatorResponse = { status: 0, headers: {}, body: null }

/** Adds transport effects to a response. */
export function withTransport(response: EmulatorResponse, effects: TransportEffects): EmulatorResponse {
  return { ...response, transport: { ...response.transport, ...effects } }
}

/**
 * Changes a page of log entries. Any other response is returned unchanged.
 *
 * @param change returns the properties to replace in the page
 */
export function editPage(
  operation: Operation,
  response: EmulatorResponse,
  change: (page: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): EmulatorResponse {
  if (!isPage(operation, response)) return response
  const page = toRecord(parseJson(bodyTextOf(response)))
  return { ...response, body: defined(stringifyJson({ ...page, ...change(page) })) }
}

/** Whether a response is a page of version 2 of the logs. */
export function isPage({ interface: name }: Operation, { status, headers }: EmulatorResponse): boolean {
  return name === 'logging' && status === 200 && headers['content-type'] === 'application/json'
}

/** Returns the whole body as text. A body in parts is read to its end. */
export function bodyTextOf({ body }: EmulatorResponse): string {
  if (body === null) return ''
  if (ArrayBuffer.isView(body)) return new TextDecoder().decode(body)
  return typeof body === 'string' ? body : [...body].join('')
}
