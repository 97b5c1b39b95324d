import { dayMs } from '@cdn/kit/time'
import type { EmulatorResponse } from '../http/messages.ts'
import { json, refuse } from '../http/refuse.ts'
import type { Variants } from '../variants/variants.ts'
import type { Fault } from './fault.ts'
import { bodyTextOf, editPage, isPage, noResponse, withTransport } from './responses.ts'

/** A numeric parameter of a fault. */
export interface FaultParameter {
  readonly text: string
  readonly defaultValue: number
  readonly min: number
  readonly max: number
  /** Whether the parameter counts something, so that a fraction has no meaning. */
  readonly isCount?: true
}

/** A fault that can be activated by its name. */
export interface FaultKind {
  /** What goes wrong, in one sentence. */
  readonly text: string
  /** `behaviour`: the platform itself misbehaves. `transport`: the connection to it fails. */
  readonly kind: 'behaviour' | 'transport'
  readonly parameters: Readonly<Record<string, FaultParameter>>
  /** Each call creates a fault with its own, empty memory. */
  create(parameters: Readonly<Record<string, number>>, variants: Variants): Fault['around']
}

/** A body that starts like a page of logs and continues with bytes that are not UTF-8. */
const invalidJson = new Uint8Array([...new TextEncoder().encode('{"data":[{"timestamp":'), 0x00, 0xff, 0xfe])

/** Every named fault. The table in the README is generated from it. */
export const faultTable = {
  'internal-error': define({
    text: 'The operation returns the documented internal server error and has no effect.',
    kind: 'behaviour',
    parameters: {},
    create: (_, variants) => async (_call, operation) =>
      refuse(operation, 500, { message: 'The server failed.' }, variants),
  }),
  'rate-limited': define({
    text: 'The request gets a 429 although the limit is not exhausted, and has no effect.',
    kind: 'behaviour',
    parameters: {
      retryAfter: { text: 'Retry-After in seconds; 0 omits the header', defaultValue: 0, min: -dayMs, max: dayMs },
    },
    create:
      ({ retryAfter }, variants) =>
      async (_call, operation) => {
        const response = refuse(operation, 429, { message: 'Too many requests.', key: 'too_many_requests' }, variants)
        return retryAfter === 0
          ? response
          : { ...response, headers: { ...response.headers, 'retry-after': String(retryAfter) } }
      },
  }),
  'stricter-rate-limit': define({
    text: 'The rate limit allows fewer requests than the contract states.',
    kind: 'behaviour',
    parameters: {
      requests: { text: 'number of requests per window', defaultValue: 10, min: 1, max: 1_000_000, isCount: true },
    },
    create:
      ({ requests }) =>
      (call, operation, next) =>
        next(call, operation.rateLimit ? { ...operation, rateLimit: { ...operation.rateLimit, requests } } : operation),
  }),
  'repeated-page': define({
    text: 'Every second page of version 2 repeats the previous page of that zone.',
    kind: 'behaviour',
    parameters: {},
    create: () => {
      const pages = new Map<string, EmulatorResponse>()
      return async (call, operation, next) => {
        const previous = pages.get(call.path)
        pages.delete(call.path)
        if (previous) return previous
        const response = await next(call, operation)
        if (!isPage(operation, response)) return response
        const page = { ...response, body: bodyTextOf(response) }
        pages.set(call.path, page)
        return page
      }
    },
  }),
  'null-data': define({
    text: 'The data of a version 2 page is null, although its pagination counts entries.',
    kind: 'behaviour',
    parameters: {},
    create: () => async (call, operation, next) =>
      editPage(operation, await next(call, operation), () => ({ data: null })),
  }),
  'unknown-cache-status': define({
    text: 'Entries of version 2 have the cache status EXPIRED, which public facts name but the table of §2 does not list.',
    kind: 'behaviour',
    parameters: {},
    create: () => async (call, operation, next) =>
      editPage(operation, await next(call, operation), ({ data }) => ({
        data: Array.isArray(data) ? data.map((entry) => ({ ...entry, cacheStatus: 'EXPIRED' })) : data,
      })),
  }),
  latency: define({
    text: 'The response arrives late; the request takes effect at once.',
    kind: 'transport',
    parameters: { ms: { text: 'delay in milliseconds', defaultValue: 1000, min: 0, max: dayMs } },
    create:
      ({ ms }) =>
      async (call, operation, next) =>
        withTransport(await next(call, operation), { delayMs: ms }),
  }),
  'bad-gateway': define({
    text: 'A proxy returns 502 with an HTML page; the request has no effect.',
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
    create: () => async () => withTransport(noResponse, { lost: 'reset' }),
  }),
  'reset-after': define({
    text: 'The connection is reset after the request took effect; the response is lost.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => withTransport(await next(call, operation), { lost: 'reset' }),
  }),
  'cut-body': define({
    text: 'The connection ends in the middle of the body; a response without a body arrives complete.',
    kind: 'transport',
    parameters: {
      share: { text: 'share of the body, or of its first part, that arrives', defaultValue: 0.5, min: 0, max: 1 },
    },
    create:
      ({ share }) =>
      async (call, operation, next) =>
        withTransport(await next(call, operation), { cutAt: share }),
  }),
  'slow-body': define({
    text: 'The body arrives in small pieces with pauses.',
    kind: 'transport',
    parameters: {
      bytes: { text: 'size of a piece', defaultValue: 1024, min: 1, max: 1_000_000_000, isCount: true },
      pauseMs: { text: 'pause between two pieces', defaultValue: 1000, min: 0, max: dayMs },
    },
    create:
      ({ bytes, pauseMs }) =>
      async (call, operation, next) =>
        withTransport(await next(call, operation), { pieces: { bytes, pauseMs } }),
  }),
  'time-out': define({
    text: 'The request takes effect, and the connection stays open without a response.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => withTransport(await next(call, operation), { lost: 'silence' }),
  }),
  'empty-body': define({
    text: 'The request takes effect and gets a 200 with an empty body.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => ({ ...(await next(call, operation)), status: 200, body: '' }),
  }),
  'no-json': define({
    text: 'The request takes effect and gets a 200 with Content-Type application/json and a body that is not JSON.',
    kind: 'transport',
    parameters: {},
    create: () => async (call, operation, next) => {
      await next(call, operation)
      return { ...json(200, null), body: invalidJson }
    },
  }),
  redirect: define({
    text: 'The request is redirected (307) to an origin outside the platform; it has no effect.',
    kind: 'transport',
    parameters: {},
    create: () => async (call) =>
      withTransport(
        { status: 307, headers: {}, body: null },
        { redirectTo: `/${call.interface}${call.path}${call.query && `?${call.query}`}` },
      ),
  }),
} as const satisfies Record<string, FaultKind>

/** Preserves the parameter names in the type, so that `create` receives each of them. */
function define<const Parameters extends Readonly<Record<string, FaultParameter>>>(
  fault: Omit<FaultKind, 'parameters' | 'create'> & {
    readonly parameters: Parameters
    create(parameters: { readonly [Name in keyof Parameters]: number }, variants: Variants): Fault['around']
  },
): Omit<FaultKind, 'parameters'> & { readonly parameters: Parameters } {
  // A fault is created only with the numbers that `readNumbers` returns: one for each of its parameters.
  return fault as Omit<FaultKind, 'parameters'> & { readonly parameters: Parameters }
}
