import type { Operation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import type { EmulatorRequest, EmulatorResponse, TransportEffects } from '../exchange/messages.ts'
import { json, refuse } from '../exchange/refuse.ts'
import type { Variants } from '../variants/variants.ts'

/** Serves a request according to an operation. A fault may have altered the operation, so it can differ from the contract. */
export type Serve = (call: EmulatorRequest, operation: Operation) => Promise<EmulatorResponse>

/**
 * A failure of a server or of the connection to it. A fault sits between the caller and the platform. A fault can respond in
 * place of the platform. It can also alter the request, the response, or the operation that the platform applies (for example
 * its rate limit or its scopes).
 */
export interface Fault {
  readonly name: string
  /** What goes wrong, in one sentence. */
  readonly text: string
  around(call: EmulatorRequest, operation: Operation, next: Serve): Promise<EmulatorResponse>
}

/** The JSON schema of a numeric parameter of a fault. */
export interface FaultParameter {
  readonly description: string
  readonly type: 'number' | 'integer'
  readonly default: number
  readonly minimum: number
  readonly maximum: number
}

type Parameters = Readonly<Record<string, FaultParameter>>

/** A fault that can be activated by its name. */
export interface FaultKind<Given extends Parameters = Parameters> {
  /** `behaviour`: the platform itself misbehaves. `transport`: the connection to it fails. */
  readonly kind: 'behaviour' | 'transport'
  /** What goes wrong, in one sentence. */
  readonly text: string
  readonly parameters: Given
  /** Each call creates a fault with its own, empty memory. */
  create(parameters: { readonly [Name in keyof Given]: number }, variants: Variants): Fault['around']
}

const behaviour = kind('behaviour')
const transport = kind('transport')
const number = parameter('number')
const integer = parameter('integer')

/** A body that starts like a page of logs and continues with bytes that are not UTF-8. */
const invalidJson = new Uint8Array([...new TextEncoder().encode('{"data":[{"timestamp":'), 0x00, 0xff, 0xfe])
const proxyPage = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n'
/** A response that never reaches the caller. The status is 0, as in `Response.error()`. */
const noResponse: EmulatorResponse = { status: 0, headers: {}, body: null, transport: { lost: 'reset' } }

/** Every named fault. The list in docs/emulator.md is generated from this table. */
export const faultTable = {
  'internal-error': behaviour(
    'The operation returns the documented internal server error and has no effect.',
    {},
    (_, variants) => async (_call, operation) => refuse(operation, 500, { message: 'The server failed.' }, variants),
  ),
  'rate-limited': behaviour(
    'The request gets a 429 although the limit is not exhausted, and has no effect.',
    { retryAfter: number('Retry-After in seconds; 0 omits the header', 0, -dayMs, dayMs) },
    ({ retryAfter }, variants) =>
      async (_call, operation) => {
        const response = refuse(operation, 429, { message: 'Too many requests.', key: 'too_many_requests' }, variants)
        const header = retryAfter !== 0 && { 'retry-after': String(retryAfter) }
        return { ...response, headers: { ...response.headers, ...header } }
      },
  ),
  'stricter-rate-limit': behaviour(
    'The rate limit allows fewer requests than the contract states.',
    { requests: integer('number of requests per window', 10, 1, 1_000_000) },
    ({ requests }) =>
      (call, operation, next) =>
        next(call, operation.rateLimit ? { ...operation, rateLimit: { ...operation.rateLimit, requests } } : operation),
  ),
  'repeated-page': behaviour('Every second page of version 2 repeats the previous page of that zone.', {}, () => {
    const pages = new Map<string, EmulatorResponse>()
    return async (call, operation, next) => {
      const previous = pages.get(call.path)
      pages.delete(call.path)
      if (previous) return previous
      const response = await next(call, operation)
      if (isLogPage(operation, response)) pages.set(call.path, response)
      return response
    }
  }),
  'null-data': behaviour(
    'The data of a version 2 page is null, although its pagination counts entries.',
    {},
    () => async (call, operation, next) => editPage(operation, await next(call, operation), () => null),
  ),
  'unknown-cache-status': behaviour(
    'Entries of version 2 have the cache status EXPIRED, which public facts name but the table of §2 does not list.',
    {},
    () => async (call, operation, next) =>
      editPage(operation, await next(call, operation), (data) =>
        Array.isArray(data) ? data.map((entry) => ({ ...entry, cacheStatus: 'EXPIRED' })) : data,
      ),
  ),
  latency: transport(
    'The response arrives late; the request takes effect at once.',
    { ms: number('delay in milliseconds', 1000, 0, dayMs) },
    ({ ms }) => arriving({ delayMs: ms }),
  ),
  'bad-gateway': transport('A proxy returns 502 with an HTML page; the request has no effect.', {}, () => async () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: proxyPage,
  })),
  'reset-before': transport(
    'The connection is reset, and the request has no effect.',
    {},
    () => async () => noResponse,
  ),
  'reset-after': transport('The connection is reset after the request took effect; the response is lost.', {}, () =>
    arriving({ lost: 'reset' }),
  ),
  'cut-body': transport(
    'The connection ends in the middle of the body; a response without a body arrives complete.',
    { portion: number('share of the body, or of its first part, that arrives', 0.5, 0, 1) },
    ({ portion }) => arriving({ cutAt: portion }),
  ),
  'slow-body': transport(
    'The body arrives in small pieces with pauses.',
    {
      bytes: integer('size of a piece', 1024, 1, 1_000_000_000),
      pauseMs: number('pause between two pieces', 1000, 0, dayMs),
    },
    (pieces) => arriving({ pieces }),
  ),
  'time-out': transport('The request takes effect, and the connection stays open without a response.', {}, () =>
    arriving({ lost: 'silence' }),
  ),
  'empty-body': transport(
    'The request takes effect and gets a 200 with an empty body.',
    {},
    () => async (call, operation, next) => ({ ...(await next(call, operation)), status: 200, body: '' }),
  ),
  'no-json': transport(
    'The request takes effect and gets a 200 with Content-Type application/json and a body that is not JSON.',
    {},
    () => async (call, operation, next) => {
      await next(call, operation)
      return { ...json(200, null), body: invalidJson }
    },
  ),
  redirect: transport(
    'The request is redirected (307) to an origin outside the platform; it has no effect.',
    {},
    () =>
      async ({ interface: name, path, query }) => {
        const redirectTo = `/${name}${path}${query && `?${query}`}`
        return { status: 307, headers: {}, body: null, transport: { redirectTo } }
      },
  ),
} as const satisfies Record<string, FaultKind>

function kind(kind: FaultKind['kind']) {
  return <const Given extends Parameters>(
    text: string,
    parameters: Given,
    create: FaultKind<Given>['create'],
  ): FaultKind<Given> => ({ kind, text, parameters, create })
}

function parameter(type: FaultParameter['type']) {
  return (description: string, value: number, minimum: number, maximum: number): FaultParameter => {
    return { description, type, default: value, minimum, maximum }
  }
}

function arriving(effects: TransportEffects): Fault['around'] {
  return async (call, operation, next) => {
    const response = await next(call, operation)
    return { ...response, transport: { ...response.transport, ...effects } }
  }
}

/** Changes the data of a page of log entries. Any other response, and a page that another fault has emptied, is returned unchanged. */
function editPage(
  operation: Operation,
  response: EmulatorResponse,
  change: (data: unknown) => unknown,
): EmulatorResponse {
  if (!isLogPage(operation, response) || typeof response.body !== 'string' || response.body === '') return response
  const page = toRecord(parseJson(response.body))
  return { ...response, body: assertDefined(stringifyJson({ ...page, data: change(page['data']) })) }
}

/** Whether a response is a page of version 2 of the logs. */
function isLogPage({ interface: name }: Operation, { status, headers }: EmulatorResponse): boolean {
  return name === 'logging' && status === 200 && headers['content-type'] === 'application/json'
}
