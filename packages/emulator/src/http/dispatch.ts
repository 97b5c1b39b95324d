import { isStated, type Operation } from '@cdn/api/contract'
import { type Fault, type Serve, surround } from '../faults/fault.ts'
import type { SelectFaults } from '../faults/faults.ts'
import type { Recorder } from '../journal/journal.ts'
import type { EmulatorContext } from '../platform/handler.ts'
import { handlers } from '../platform/handlers.ts'
import { authenticate, refusalStatus } from './authenticate.ts'
import { findRoute, type Match } from './find-route.ts'
import { malformedIdStatus, refuseRate, refuseZone } from './gate.ts'
import type { EmulatorRequest, EmulatorResponse } from './messages.ts'
import { readPathParameters, readQueryParameters } from './parameters.ts'
import { type ErrorContent, json, refuse, refusePath } from './refuse.ts'
import { BodyTooLarge, isTooLarge, readRequestBody } from './request-body.ts'
import { serveStated } from './serve-stated.ts'

/** Serves any request. The promise rejects only if the request body cannot be read. */
export type Dispatch = (call: EmulatorRequest) => Promise<EmulatorResponse>

/**
 * Creates the pipeline of a request: operation, credentials, pull zone, rate limit, parameters, body, handler. The spec does not
 * state the order of the checks. In this order, a request without valid credentials reveals nothing, changes nothing, and does
 * not count for the rate limit.
 *
 * @param selectFaults selects the faults of a request
 * @param journal records every request
 */
export function createDispatch(context: EmulatorContext, selectFaults: SelectFaults, journal: Recorder): Dispatch {
  return async (received) => {
    const at = context.clock.now()
    const route = findRoute(received, context.variants)
    const operation = typeof route === 'object' ? route.operation : undefined
    const { call, bytesRead } = operation?.method === 'post' ? keepBody(received) : { call: received }
    const faults = operation ? selectFaults(operation) : noFaults
    const entry = { at, call, operation, faults, overLimit: false }
    const notice = (served: Operation, response: EmulatorResponse) => {
      entry.overLimit = response.status === 429 && served.rateLimit === operation?.rateLimit
    }
    try {
      // The journal compares the bodies of POST requests, so the body is read even if a fault does not forward the request.
      if (faults.length > 0 && operation?.method === 'post') await call.body()
      const response = await answerTo(call, route, { context, faults, notice })
      journal.receive({ ...entry, response, body: bytesRead?.() })
      const sent = { ...response, headers: { date: at.toUTCString(), ...response.headers } }
      const { transport } = response
      return transport ? { ...sent, transport: { ...transport, dueAt: at.getTime() + (transport.delayMs ?? 0) } } : sent
    } catch (error) {
      journal.receive(entry)
      throw error
    }
  }
}

const noFaults: readonly Fault[] = []

/** Makes the body of a request readable more than once. `bytesRead` returns the body, or undefined if it was not read. */
function keepBody(call: EmulatorRequest): { call: EmulatorRequest; bytesRead?: () => Uint8Array | undefined } {
  let reading: Promise<Uint8Array> | undefined
  let bytes: Uint8Array | undefined
  const read = async () => {
    bytes = await call.body()
    return bytes
  }
  const body = () => {
    reading ??= read()
    return reading
  }
  return { call: { ...call, body }, bytesRead: () => bytes }
}

interface Serving {
  readonly context: EmulatorContext
  readonly faults: readonly Fault[]
  /** Receives every response of the platform, before a fault changes it. */
  notice(served: Operation, response: EmulatorResponse): void
}

async function answerTo(
  call: EmulatorRequest,
  route: Match | 'refused' | undefined,
  { context, faults, notice }: Serving,
): Promise<EmulatorResponse> {
  const { variants } = context
  if (!route)
    return json(501, { message: 'The emulator does not know this operation: see its violation in the journal.' })
  if (route === 'refused') return refusePath(call.interface, variants)
  const serve: Serve = async (served, operation) => {
    try {
      const response = await serveOperation(served, operation, route.parameters, context)
      notice(operation, response)
      return response
    } catch (error) {
      if (error instanceof UnreadableBody) throw error
      if (error instanceof BodyTooLarge) return refuse(operation, 413, { message: error.message }, variants)
      console.error(error)
      return refuse(operation, 500, { message: 'The server failed.' }, variants)
    }
  }
  return surround(serve, faults)(call, route.operation)
}

/** The connection ended before the request body was complete. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody'
}

async function serveOperation(
  call: EmulatorRequest,
  operation: Operation,
  rawParameters: Readonly<Record<string, string>>,
  context: EmulatorContext,
): Promise<EmulatorResponse> {
  const { variants } = context
  const now = context.clock.now().getTime()
  const refuseWith = (status: number, problem: ErrorContent) => refuse(operation, status, problem, variants)

  const result = authenticate(operation, call, context)
  if (result !== 'accepted') return refuseWith(refusalStatus(operation, result, context), { message: messages[result] })

  const inPath = readPathParameters(operation, rawParameters)
  if (inPath.problems.length > 0)
    return refuseWith(malformedIdStatus(operation, inPath.values, variants), invalid(inPath.problems))
  const zoneId = inPath.values['pullZoneId']
  const refused =
    (operation.interface === 'logging' && refuseZone(operation, String(zoneId), context)) ||
    refuseRate(operation, inPath.values, context, now)
  if (refused) return refused

  const inQuery = readQueryParameters(operation, call.query, variants)
  if (inQuery.problems.length > 0) return refuseWith(400, invalid(inQuery.problems))
  if (isTooLarge(operation, call, variants)) return refuseWith(413, { message: 'The request body is too large.' })
  const body = await readRequestBody(operation, call, variants)
  if ('problem' in body) return refuseWith(400, body.problem)

  const request = { operation, context, parameters: { ...inQuery.values, ...inPath.values }, body: body.value, now }
  const handler = handlers.get(operation.name)
  if (handler) return handler(request)
  if (isStated(operation)) return serveStated(operation, request)
  return json(501, { message: 'The emulator does not implement this operation.' })
}

const messages = {
  missing: 'The request carries no credentials.',
  invalid: 'The credentials are not valid.',
  scope: 'The credentials lack a scope that this operation requires.',
} as const

function invalid(problems: readonly string[]): ErrorContent {
  return { message: problems.join(' '), details: problems }
}
