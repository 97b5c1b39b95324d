import { isStated, type Operation } from '@cdn/api/contract'
import type { EmulatorRequest, EmulatorResponse } from '../exchange/messages.ts'
import { type ParameterValue, readPathParameters, readQueryParameters } from '../exchange/parameters.ts'
import { refuseRate } from '../exchange/rate-limit.ts'
import { type ErrorContent, json, refuse, refusePath } from '../exchange/refuse.ts'
import type { Fault, Serve } from '../faults/fault-table.ts'
import type { SelectFaults } from '../faults/faults.ts'
import type { Recorder } from '../journal/journal.ts'
import type { EmulatorContext } from '../platform/handler.ts'
import { handlers, isPlainRead } from '../platform/handlers.ts'
import type { Variants } from '../variants/variants.ts'
import { authenticate, refusalStatus } from './authenticate.ts'
import { findRoute, type RouteMatch } from './find-route.ts'
import { BodyTooLarge, isTooLarge, readRequestBody } from './request-body.ts'
import { servePlainRead, serveStated } from './serve-stated.ts'

/** Serves any request. The promise rejects only if the request body cannot be read, or if a custom fault rejects. */
export type Dispatch = (call: EmulatorRequest) => Promise<EmulatorResponse>

/**
 * Creates the pipeline of a request: operation, credentials, path parameters, pull zone, rate limit, query parameters, body,
 * handler. The spec does not state the order of the checks. In this order, a request without valid credentials reveals nothing,
 * changes nothing, and does not count for the rate limit.
 *
 * @param selectFaults selects the faults of a request
 * @param journal records every request
 */
export function createDispatch(context: EmulatorContext, selectFaults: SelectFaults, journal: Recorder): Dispatch {
  let [second, date] = [Number.NaN, '']
  /** Returns the value of the header Date. It is formatted once per second. */
  const dateOf = (at: Date) => {
    const now = Math.floor(at.getTime() / 1000)
    if (now !== second) [second, date] = [now, at.toUTCString()]
    return date
  }
  return async (received) => {
    const at = context.clock.now()
    const route = findRoute(received, context.variants)
    const operation = typeof route === 'object' ? route.operation : undefined
    const faults = operation ? selectFaults(operation) : []
    let reading: Promise<Uint8Array> | undefined
    let body: Uint8Array | undefined
    const read = async () => {
      body = await received.body()
      return body
    }
    // Faults and the platform can each read the body.
    const call = {
      ...received,
      body() {
        reading ??= read()
        return reading
      },
    }
    const entry = { at, call, operation, faults, overLimit: false }
    const notice = (served: Operation, response: EmulatorResponse) => {
      entry.overLimit = response.status === 429 && served.rateLimit === operation?.rateLimit
    }
    try {
      // The journal compares the bodies of POST requests, so the body is read even if a fault does not forward the request.
      // A body that is too large is not an error here: the platform gets the same error from `body` and refuses the request.
      if (faults.length > 0 && operation?.method === 'post') await call.body().catch(throwUnlessTooLarge)
      const response = await answerTo(call, route, { context, faults, notice })
      journal.receive({ ...entry, response, body })
      const sent = { ...response, headers: { date: dateOf(at), ...response.headers } }
      const { transport } = response
      return transport ? { ...sent, transport: { ...transport, dueAt: at.getTime() + (transport.delayMs ?? 0) } } : sent
    } catch (error) {
      journal.receive(entry)
      throw error
    }
  }
}

interface Serving {
  readonly context: EmulatorContext
  readonly faults: readonly Fault[]
  /** Receives every response of the platform, before a fault changes it. */
  notice(served: Operation, response: EmulatorResponse): void
}

async function answerTo(
  call: EmulatorRequest,
  route: RouteMatch | 'refused' | undefined,
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
  // The last fault is nearest to the caller.
  const surrounded = faults.reduce<Serve>((next, fault) => (sent, op) => fault.around(sent, op, next), serve)
  return surrounded(call, route.operation)
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
  if ('problem' in body) return refuseWith(states(operation, 422) && !states(operation, 400) ? 422 : 400, body.problem)

  const request = { operation, context, parameters: { ...inQuery.values, ...inPath.values }, body: body.value, now }
  const handler = handlers.get(operation.name)
  if (handler) return handler(request)
  if (isStated(operation)) return serveStated(operation, request)
  if (isPlainRead(operation)) return servePlainRead(request)
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

/**
 * Returns the status for malformed path parameters: 400 if the operation lists a 400, otherwise 404, because no resource has a
 * malformed id (§7 lists no 400 for delete watermark). For a malformed date of a v1 file, the variant `fileDateForm` is the status.
 *
 * @param values the path parameters that are valid
 */
function malformedIdStatus(
  operation: Operation,
  values: Readonly<Record<string, ParameterValue | undefined>>,
  { fileDateForm }: Variants,
): number {
  const hasDate = operation.parameters.some(({ name }) => name === 'date')
  if (hasDate && values['date'] === undefined) return fileDateForm
  return states(operation, 400) ? 400 : 404
}

function states({ responses }: Operation, status: number): boolean {
  return responses.some((response) => response.status === String(status))
}

/**
 * Checks whether the logs of a pull zone can be read (§7): 403 if the zone is suspended or disabled, 404 if logging is off. For an
 * unknown zone, the variant `unknownZone` is the status.
 *
 * @returns the refusal, or undefined
 */
function refuseZone(
  operation: Operation,
  zoneId: string,
  { state, variants }: EmulatorContext,
): EmulatorResponse | undefined {
  const zone = state.zones.get(zoneId)
  if (!zone) return refuse(operation, variants.unknownZone, { message: 'You cannot access this pull zone.' }, variants)
  if (zone.status !== 'active') return refuse(operation, 403, { message: `The pull zone is ${zone.status}.` }, variants)
  if (zone.logging === 'disabled')
    return refuse(operation, 404, { message: 'Logging is not enabled for this pull zone.' }, variants)
  return undefined
}

function throwUnlessTooLarge(error: unknown): void {
  if (!(error instanceof BodyTooLarge)) throw error
}
