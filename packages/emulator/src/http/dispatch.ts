import { type Operation, type Route, route } from '@cdn/api/contract'
import { type Fault, type Serve, surround } from '../faults/fault.ts'
import type { Strike } from '../faults/faults.ts'
import { handlers } from '../handlers.ts'
import type { Recorder } from '../journal/journal.ts'
import type { Platform } from '../platform.ts'
import { authenticate, refusalStatus } from './authenticate.ts'
import type { Answer, Call } from './call.ts'
import { refuseRate, refuseZone } from './gate.ts'
import { readPathParameters, readQueryParameters } from './parameters.ts'
import { type Problem, refuse, refusePath } from './refuse.ts'
import { readBody } from './request-body.ts'

/** Answers any call; never rejects, except where the caller's body cannot be read. */
export type Dispatch = (call: Call) => Promise<Answer>

/**
 * The way of a request through the platform: operation, credentials, pull zone, rate limit, parameters, body, handler.
 * The document does not say in which order the checks come; in this one nothing is told, changed or counted before the
 * credentials are known to be good.
 *
 * @param strike which faults hit a request
 * @param journal where every request is entered
 */
export function createDispatch(platform: Platform, strike: Strike, journal: Recorder): Dispatch {
  return async (received) => {
    const at = platform.clock.now()
    const found = route(received.interface, received.method, received.path)
    const operation = found && 'operation' in found ? found.operation : undefined
    const { call, kept } = operation?.method === 'post' ? keepBody(received) : { call: received }
    const faults = operation ? strike(operation) : noFaults
    const entry = { at, call, operation, faults, overLimit: false }
    const notice = (served: Operation, answer: Answer) => {
      entry.overLimit = answer.status === 429 && served.rateLimit === operation?.rateLimit
    }
    try {
      // The journal is to know a POST again, also one whose fault never hands it on.
      if (faults.length > 0 && operation?.method === 'post') await call.body()
      const answer = await answerTo(call, found, platform, faults, notice)
      journal.receive({ ...entry, answer, body: kept?.() })
      const sent = { ...answer, headers: { date: at.toUTCString(), ...answer.headers } }
      return answer.wire ? { ...sent, wire: { ...answer.wire, since: at.getTime() } } : sent
    } catch (error) {
      journal.receive(entry)
      throw error
    }
  }
}

const noFaults: readonly Fault[] = []

/** The same call, whose body can be read more than once, and looked at where it was read. */
function keepBody(call: Call): { call: Call; kept?: () => Uint8Array | undefined } {
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
  return { call: { ...call, body }, kept: () => bytes }
}

async function answerTo(
  call: Call,
  found: Route,
  platform: Platform,
  faults: readonly Fault[],
  notice: (served: Operation, answer: Answer) => void,
): Promise<Answer> {
  if (!found) return refusePath(404, 'There is no such path.')
  if ('allow' in found) return refusePath(405, 'The path has no such method.', { allow: found.allow.join(', ') })
  const serve: Serve = async (served, operation) => {
    try {
      const answer = await serveOperation(served, operation, found.parameters, platform)
      notice(operation, answer)
      return answer
    } catch (error) {
      if (error instanceof UnreadableBody) throw error
      console.error(error)
      return refuse(operation, 500, { message: 'The server failed.' }, platform.variants)
    }
  }
  return surround(serve, faults)(call, found.operation)
}

/** The caller's body could not be read to its end, or is longer than any operation takes. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody'
}

async function serveOperation(
  call: Call,
  operation: Operation,
  rawParameters: Readonly<Record<string, string>>,
  platform: Platform,
): Promise<Answer> {
  const { variants } = platform
  const now = platform.clock.now().getTime()
  const refuseWith = (status: number, problem: Problem) => refuse(operation, status, problem, variants)

  const verdict = await authenticate(operation, call, platform)
  if (verdict !== 'accepted')
    return refuseWith(refusalStatus(operation, verdict, platform), { message: messages[verdict] })

  const inPath = readPathParameters(operation, rawParameters)
  if (inPath.problems.length > 0) return refuseWith(invalidStatus(operation), invalid(inPath.problems))
  const zoneId = inPath.values['pullZoneId']
  const refused =
    (operation.interface === 'logging' && refuseZone(operation, String(zoneId), platform)) ||
    refuseRate(operation, inPath.values, platform, now)
  if (refused) return refused

  const inQuery = readQueryParameters(operation, call.query, variants)
  if (inQuery.problems.length > 0) return refuseWith(invalidStatus(operation), invalid(inQuery.problems))
  const body = await readBody(operation, call, variants)
  if ('problem' in body) return refuseWith(invalidStatus(operation), body.problem)

  const handler = handlers.get(operation.name)
  if (!handler) return refuseWith(501, { message: 'The emulator does not have this operation yet.' })
  const parameters = { ...inPath.values, ...inQuery.values }
  return handler({ operation, platform, parameters, body: body.value, now })
}

const messages = {
  missing: 'The request carries no credentials.',
  invalid: 'The credentials are not valid.',
  scope: 'The credentials lack a scope that this operation asks for.',
} as const

/** 400 where the operation lists it; else 404: a malformed id is the id of nothing (§7 lists no 400 for delete watermark). */
function invalidStatus(operation: Operation): number {
  return operation.responses.some((response) => response.status === '400') ? 400 : 404
}

function invalid(problems: readonly string[]): Problem {
  return { message: problems.join(' '), details: problems }
}
