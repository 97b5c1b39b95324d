import type { Answer } from '../http/call.ts'
import { json, refuse } from '../http/refuse.ts'
import { editPage, isPage, noAnswer, onWire, textOf } from './answers.ts'
import type { Fault } from './fault.ts'

/** A number that a fault can be given. */
export interface FaultParameter {
  readonly text: string
  readonly otherwise: number
  readonly least: number
  readonly most: number
}

/** A fault that can be switched on by its name. */
export interface FaultKind {
  /** What goes wrong, in one sentence. */
  readonly text: string
  /** Whether the platform itself does it, or something on the way. */
  readonly kind: 'behaviour' | 'transport'
  readonly parameters: Readonly<Record<string, FaultParameter>>
  /** Its own memory, if any, begins with each call. */
  create(parameters: Readonly<Record<string, number>>): Fault['around']
}

const day = 24 * 3_600_000

/** Begins as a page of logs does, and is not even text. */
const noJson = new Uint8Array([...new TextEncoder().encode('{"data":[{"timestamp":'), 0x00, 0xff, 0xfe])

/** Every fault that has a name. The table in the README is made from this. */
export const faultTable = {
  'internal-error': define({
    text: 'The operation answers with the documented internal server error and has no effect.',
    kind: 'behaviour',
    parameters: {},
    create: () => async (_call, operation) => refuse(operation, 500, { message: 'The server failed.' }),
  }),
  'rate-limited': define({
    text: 'The request is answered 429 although the limit is not exhausted, and has no effect.',
    kind: 'behaviour',
    parameters: {
      retryAfter: { text: 'Retry-After in seconds; no such header where 0', otherwise: 0, least: -day, most: day },
    },
    create:
      ({ retryAfter }) =>
      async (_call, operation) => {
        const answer = refuse(operation, 429, { message: 'Too many requests.', key: 'too_many_requests' })
        return retryAfter === 0
          ? answer
          : { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfter) } }
      },
  }),
  'stricter-rate-limit': define({
    text: 'The rate limit lets fewer requests through than the contract states.',
    kind: 'behaviour',
    parameters: { requests: { text: 'how many a window lets through', otherwise: 10, least: 1, most: 1_000_000 } },
    create:
      ({ requests }) =>
      (call, operation, next) =>
        next(call, operation.rateLimit ? { ...operation, rateLimit: { ...operation.rateLimit, requests } } : operation),
  }),
  'repeated-page': define({
    text: 'Every second page of version 2 is the one that the zone was given before, once more.',
    kind: 'behaviour',
    parameters: {},
    create: () => {
      const given = new Map<string, Answer>()
      return async (call, operation, next) => {
        const before = given.get(call.path)
        given.delete(call.path)
        if (before) return before
        const answer = await next(call, operation)
        if (!isPage(operation, answer)) return answer
        const page = { ...answer, body: textOf(answer) }
        given.set(call.path, page)
        return page
      }
    },
  }),
  'null-data': define({
    text: 'data of a page of version 2 is null, though its entries are counted.',
    kind: 'behaviour',
    parameters: {},
    create: () => async (call, operation, next) =>
      editPage(operation, await next(call, operation), () => ({ data: null })),
  }),
  'unknown-cache-status': define({
    text: 'Entries of version 2 carry a cache status that is in no table: EXPIRED.',
    kind: 'behaviour',
    parameters: {},
    create: () => async (call, operation, next) =>
      editPage(operation, await next(call, operation), ({ data }) => ({
        data: Array.isArray(data) ? data.map((entry) => ({ ...entry, cacheStatus: 'EXPIRED' })) : data,
      })),
  }),
  latency: define({
    text: 'The answer arrives late; the request takes effect at once.',
    kind: 'transport',
    parameters: { ms: { text: 'how late', otherwise: 1000, least: 0, most: day } },
    create:
      ({ ms }) =>
      async (call, operation, next) =>
        onWire(await next(call, operation), { delayMs: ms }),
  }),
  'bad-gateway': define({
    text: 'A proxy answers 502 with a page of HTML; the request has no effect.',
    kind: 'transport',
    parameters: {},
    create: () => async () => ({
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n',
    }),
  }),
  'reset-before': define({
    text: 'The connection is reset before the request is read; it has no effect.',
    kind: 'transport',
    parameters: {},
    create: () => async () => onWire(noAnswer, { lost: 'reset' }),
  }),
  'reset-after': define({
    text: 'The connection is reset after the request took effect; the answer is lost.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => onWire(await next(call, operation), { lost: 'reset' }),
  }),
  'cut-body': define({
    text: 'The connection ends in the middle of the body; an answer without one stays whole.',
    kind: 'transport',
    parameters: {
      share: { text: 'of the body, or of its first part, that arrives', otherwise: 0.5, least: 0, most: 1 },
    },
    create:
      ({ share }) =>
      async (call, operation, next) =>
        onWire(await next(call, operation), { cutAt: share }),
  }),
  'slow-body': define({
    text: 'The body arrives in small pieces with pauses.',
    kind: 'transport',
    parameters: {
      bytes: { text: 'of a piece', otherwise: 1024, least: 1, most: 1_000_000_000 },
      pauseMs: { text: 'between two pieces', otherwise: 1000, least: 0, most: day },
    },
    create:
      ({ bytes, pauseMs }) =>
      async (call, operation, next) =>
        onWire(await next(call, operation), { pieces: { bytes, pauseMs } }),
  }),
  'time-out': define({
    text: 'The request takes effect, and the connection stays open without an answer.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => onWire(await next(call, operation), { lost: 'silence' }),
  }),
  'empty-body': define({
    text: 'The request takes effect and is answered 200 with a body of no bytes.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => ({ ...(await next(call, operation)), status: 200, body: '' }),
  }),
  'no-json': define({
    text: 'The request takes effect and is answered 200 with bytes that are said to be JSON and are not.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => {
      await next(call, operation)
      return { ...json(200, null), body: noJson }
    },
  }),
  redirect: define({
    text: 'The request is redirected (307) to an origin that is none of the platform; it has no effect.',
    kind: 'transport',
    parameters: {},
    create: () => async () => onWire({ status: 307, headers: {}, body: null }, { redirected: true }),
  }),
} as const satisfies Record<string, FaultKind>

/** Keeps the names of the parameters, so that `create` is given every one of them. */
function define<const Parameters extends Readonly<Record<string, FaultParameter>>>(
  fault: Omit<FaultKind, 'parameters' | 'create'> & {
    readonly parameters: Parameters
    create(parameters: { readonly [Name in keyof Parameters]: number }): Fault['around']
  },
): Omit<FaultKind, 'parameters'> & { readonly parameters: Parameters } {
  return fault as Omit<FaultKind, 'parameters'> & { readonly parameters: Parameters }
}
