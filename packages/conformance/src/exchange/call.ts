import { contracts, type Operation, operations, plainSchema, type SecurityScheme } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { CheckContext } from './check.ts'
import type { Answered, ReceivedResponse, RequestParts, SentCredential, SentRequest } from './exchange.ts'
import { errorReason, Failure, LostResponse, requireOrSkip, Skip, success, TargetUnavailable } from './failure.ts'
import { urlBelow } from './requested-operation.ts'
import { dayOf, dayParameterOf, fixturesOfOperation, idParameterOf, needsNewItem } from './resources.ts'
import { isOfGateway, statedPause } from './response.ts'
import { requiredParameters, resolverOf } from './schema-example.ts'

export type { RequestParts, SentCredential }

/** Maximum number of attempts for a read without a usable response, and the pause between two attempts, in ms. */
const [attempts, pauseMs] = [4, 1_000]
/** Maximum pause after a 429 of an operation without a stated limit, in ms. */
const maxStatedPauseMs = 10_000
/** Maximum number of attempts if the responses are 429: more than after errors, because another caller may use the rate limit for long. */
const limitedAttempts = 6
/** Number of consecutive writes of an operation whose responses may be lost. If one more is lost, the target counts as unavailable. */
const maxLostInRow = 4

/**
 * Sends one request for an operation and reads the response. Retries a 429 after the window of the rate limit or the stated pause, and a
 * read after a broken connection, or after 502 to 504, which come from a gateway and not from the platform. A write is
 * repeated only after a 429.
 *
 * @param request path parameters by name, query, body, credential; missing path parameters come from the fixtures
 * @param options with `seeAnyStatus`, returns the first response, even a 429 or one of a gateway
 * @throws TargetUnavailable if no usable response came; LostResponse instead for a write, as long as at most `maxLostInRow` writes in a
 *   row had no response; Failure if only this operation never ends its responses; Skip if a fixture is missing, or after repeated 429
 */
export async function call(
  context: CheckContext,
  operation: Operation,
  request: RequestParts = {},
  { seeAnyStatus = false } = {},
): Promise<Answered> {
  // Check the permission for the operation here. If two interfaces share an address, the URL does not show the interface.
  context.permit(operation)
  const { url, init, sent } = toFetch(context, operation, request)
  const isRepeatable = operation.effect === 'read' && !seeAnyStatus
  const lost = await context.once(`lost responses to ${operation.name}`, async () => ({ inRow: 0 }))
  for (let failed = 0, limited = 0; ; ) {
    const lostBefore = lost.inRow
    const at = context.now()
    const response = await sendToEnd(context, { url, init, sent: { ...sent, at } })
    const isLimited = response.status === 429
    if (isUsable(response, seeAnyStatus)) {
      lost.inRow = 0
      // Return the same object, because the parsed body is cached by it.
      return Object.assign(response, { sent: { ...sent, at: response.sentAt ?? at } })
    }
    if (isLimited) {
      if (++limited === limitedAttempts)
        throw new Skip(
          `inconclusive: 429 on ${limitedAttempts} attempts, so another caller seems to use the rate limit`,
        )
    } else if (!isRepeatable || ++failed === attempts) {
      // Count lost writes as one if several checks sent them at the same time.
      lost.inRow = Math.max(lost.inRow, lostBefore + 1)
      throw withoutResponse(operation, response, lost.inRow)
    }
    await context.wait(isLimited ? pauseAfterLimit(operation, response, context.now(), limited) : pauseMs)
  }
}

/**
 * Returns the pause after a 429 in ms: the window of the operation's stated limit; without one, the pause that the response states, at
 * least 1 s, doubled after each further 429, because other checks of the run send their requests again, too.
 */
function pauseAfterLimit({ rateLimit }: Operation, response: ReceivedResponse, now: Date, attempt: number): number {
  const stated = statedPause(response, now)?.ms || 0 // `ms` is NaN if the header cannot be read
  return rateLimit?.windowMs ?? Math.min(Math.max(stated, pauseMs) * 2 ** (attempt - 1), maxStatedPauseMs)
}

/** Sends the request of a read once more. */
export function repeat(context: CheckContext, { sent }: Answered): Promise<Answered> {
  const { operation, path, query, headers } = sent
  const request = { path, search: query.toString(), headers: Object.fromEntries(headers), credential: undefined }
  return call(context, operation, request, { seeAnyStatus: true })
}

function isUsable(response: ReceivedResponse, seeAnyStatus: boolean): boolean {
  const { status } = response
  return status > 0 && (seeAnyStatus || (status !== 429 && !isOfGateway(response)))
}

function withoutResponse({ name, effect }: Operation, response: ReceivedResponse, lostInRow: number): Error {
  const { status, text } = response
  const reason = status > 0 ? `${name} was answered ${status}` : text
  return effect === 'read' || lostInRow > maxLostInRow
    ? new TargetUnavailable(`target unavailable: ${reason}`, response.status > 0 ? { response } : {})
    : new LostResponse(`inconclusive: no response to a write, which is not repeated: ${reason}`)
}

/**
 * Sends a request once.
 *
 * @returns the response; status 0 and the reason as text if the connection broke, as a server may close it at any time
 * @throws Skip if the run must not send the request; TargetUnavailable for other errors
 */
async function send(
  context: CheckContext,
  { url, init, sent }: Omit<ToSend, 'sent'> & { readonly sent: SentRequest },
): Promise<ReceivedResponse> {
  try {
    const request = new globalThis.Request(url, { ...init, redirect: 'manual', signal: context.signal })
    return await context.send(request, sent)
  } catch (error) {
    if (error instanceof Skip) throw error
    if (isBroken(error) && !context.signal.aborted)
      return { status: 0, headers: new Headers(), text: errorReason(error) }
    throw new TargetUnavailable(`target unavailable: ${errorReason(error)}`, { cause: error })
  }
}

/** Maximum time in ms for a response of an operation that did not end its responses before. Otherwise, each check would wait long. */
const impatientMs = 2_000

/**
 * Sends a request as `send` does. A write that times out has no response. If a read times out, a request of another operation shows whether
 * the target answers. If it does, the read is sent once more.
 *
 * @throws Failure if only this read times out; TargetUnavailable if other operations time out, too
 */
async function sendToEnd(context: CheckContext, request: Parameters<typeof send>[1]): Promise<ReceivedResponse> {
  const { operation } = request.sent
  const known = await context.once(`answers of ${operation.name}`, async () => ({ isEndless: false }))
  const attempt = () => {
    const signal = known.isEndless && AbortSignal.any([context.signal, AbortSignal.timeout(impatientMs)])
    return send(signal ? { ...context, signal } : context, request)
  }
  try {
    return await attempt()
  } catch (error) {
    if (!isTimeOut(error) || context.signal.aborted) throw error
    // The platform may still execute a write, as after a broken connection.
    if (operation.effect !== 'read') return { status: 0, headers: new Headers(), text: errorReason(error) }
    if (!(await isAnswered(context, operation))) throw error
    const again = await attempt().catch((reason: unknown) => reason)
    if (!(again instanceof Error)) return again as ReceivedResponse
    if (!isTimeOut(again) || !(await isAnswered(context, operation))) throw error
    known.isEndless = true
    throw new Failure(success(), {
      kind: 'silence',
      reason: `${errorReason(error)}, and other operations are answered`,
    })
  }
}

function isTimeOut(error: unknown): boolean {
  const { name, code, cause } = Object(error)
  return (
    name === 'TimeoutError' ||
    ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].includes(code) ||
    (cause !== undefined && isTimeOut(cause))
  )
}

/** Whether the platform answers a plain read of another operation, if possible of the same interface. */
async function isAnswered(context: CheckContext, { name, interface: of }: Operation): Promise<boolean> {
  const others = operations.filter((one) => one.effect === 'read' && one.name !== name && !needsNewItem(one))
  const [other] = [...others.filter((one) => one.interface === of), ...others]
  if (!other) return false
  const { sent, ...rest } = toFetch(context, other, { query: requiredParameters(other) })
  const response = await send(context, { ...rest, sent: { ...sent, at: context.now() } }).catch(() => undefined)
  return response !== undefined && response.status > 0 && !isOfGateway(response)
}

/** Whether the connection broke. A time-out does not count, because retries against a silent target would take hours. */
function isBroken(error: unknown): boolean {
  const { code, cause } = Object(error)
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code) || (cause !== undefined && isBroken(cause))
}

/** Pauses between the reads that look for an effect, in ms. A platform may show a write some seconds late (unspecified). */
const recheckPausesMs = [250, 500, 1_000, 1_000, 1_000, 1_000, 1_500, 1_500]
/**
 * Repeats an observation, with growing pauses, until it holds.
 *
 * @returns whether it held, at the latest after 7.75 s
 */
export async function eventually(context: CheckContext, holds: () => Promise<boolean>): Promise<boolean> {
  for (const pauseMs of recheckPausesMs) {
    if (await holds()) return true
    await context.wait(pauseMs)
  }
  return holds()
}

/** Returns the result of a write, or the `LostResponse`. After a lost response, only the state shows whether the write was executed. */
export async function resultOrLost<T>(work: Promise<T>): Promise<T | LostResponse> {
  return work.catch((error: unknown) => {
    if (error instanceof LostResponse) return error
    throw error
  })
}

interface ToSend {
  readonly url: URL
  readonly init: RequestInit
  readonly sent: Omit<SentRequest, 'at'>
}

function toFetch(context: CheckContext, operation: Operation, request: RequestParts): ToSend {
  const { encode = encodeURIComponent } = request
  const parameters: Record<string, string> = {}
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = request.path?.[name] ?? requireOrSkip(pathFixture(context, operation, name), `value for {${name}}`)
    parameters[name] = value
    return encode(value)
  })
  const url = urlBelow(context.bases[operation.interface], request.spell?.(path) ?? path)
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value)
  if (request.search !== undefined) url.search += `${url.search === '' ? '?' : '&'}${request.search}`
  const { method = operation.method.toUpperCase() } = request
  const headers = headersOf(context, operation, request)
  const body = request.body === undefined ? undefined : toBody(request.body, bodyTypeOf(operation), headers)
  const text = typeof body === 'string' ? body : undefined
  return {
    url,
    init: { method, headers, ...(body !== undefined && { body }) },
    sent: {
      operation,
      method,
      path: parameters,
      query: url.searchParams,
      headers: new Headers(headers),
      body: text,
      noEffect: request.noEffect,
      request,
    },
  }
}

function headersOf(
  context: CheckContext,
  operation: Operation,
  request: RequestParts,
): Readonly<Record<string, string>> {
  const credential = 'credential' in request ? request.credential : validCredential(context, operation)
  const { header, kind } = credential ? schemeOf(operation, credential.scheme) : {}
  const mediaType = bodyTypeOf(operation)
  const headers = {
    ...(request.body !== undefined && mediaType && { 'Content-Type': mediaType }),
    ...(credential && header && { [header]: `${kind === 'bearer' ? 'Bearer ' : ''}${credential.value}` }),
    ...request.headers,
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

function toBody(body: unknown, mediaType = '', headers: object): string | Uint8Array<ArrayBuffer> {
  // The type excludes shared memory, which the suite never uses for a body.
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  const json = () => (/urlencoded/.test(mediaType) ? String(new URLSearchParams(Object(body))) : JSON.stringify(body))
  const text = typeof body === 'string' ? body : json()
  // `fetch` adds a Content-Type to a string body, but not to bytes.
  return 'Content-Type' in headers ? text : new TextEncoder().encode(text)
}

/** Returns the media type of an operation's request body: JSON if the contract states it, otherwise the first type. */
export function bodyTypeOf({ requestBody }: Operation): string | undefined {
  return jsonFirst(Object.keys(requestBody?.content ?? {}))[0]
}

/** Returns the `Accept` header with each media type that the contract states for a response, errors included. */
export function acceptHeader({ responses }: Operation): string {
  return jsonFirst([...new Set(responses.flatMap(({ content }) => Object.keys(content)))]).join(', ') || '*/*'
}

function jsonFirst(types: readonly string[]): string[] {
  return types.toSorted((one, other) => Number(/json/.test(other)) - Number(/json/.test(one)))
}

/** Finds a security scheme of an operation's interface by its name. @throws Error if the contract has no scheme of this name */
export function schemeOf(operation: Operation, scheme: string): SecurityScheme {
  return assertDefined(contracts[operation.interface].schemes.find(({ name }) => name === scheme))
}

/**
 * Returns a valid credential of a scheme, from the fixtures.
 *
 * @throws Skip if the credential is missing
 */
export function credentialOf(context: CheckContext, operation: Operation, scheme: string): SentCredential {
  const { accessKey, bearer } = context.fixtures.credentials
  const isBearer = schemeOf(operation, scheme).kind === 'bearer'
  const [value, name] = isBearer ? [bearer, 'bearer'] : [accessKey, 'accessKey']
  return { scheme, value: requireOrSkip(value, `credentials.${name}`) }
}

/** Returns a valid credential of the first scheme; undefined if the operation needs none. */
export function validCredential(context: CheckContext, operation: Operation): SentCredential {
  const [scheme] = operation.schemes
  return scheme === undefined ? undefined : credentialOf(context, operation, scheme)
}

/** Returns the credentials of the fixtures that an operation accepts: of each scheme, the plain one and one per accepted scope. */
export function sufficientCredentials({ fixtures }: CheckContext, operation: Operation): SentCredential[] {
  const { accessKey, bearer, byScope = {}, keyByScope = {} } = fixtures.credentials
  return operation.schemes.flatMap((scheme) => {
    const isKey = schemeOf(operation, scheme).kind === 'key'
    const scoped = operation.scopes.map((scope) => (isKey ? keyByScope : byScope)[scope])
    return [isKey ? accessKey : bearer, ...scoped].flatMap((value) => (value === undefined ? [] : [{ scheme, value }]))
  })
}

function pathFixture(context: CheckContext, operation: Operation, name: string): string | undefined {
  if (dayParameterOf(operation) === name) return dayOf(context.now())
  const resource = fixturesOfOperation(operation)
  if (resource) return idParameterOf(operation) === name ? context.fixtures[resource.own[0]] : undefined
  // A date or a stated value may be an example. Any other value must be that of an existing item.
  const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name)
  const { enum: values, format } = plainSchema(parameter?.schema ?? {}, resolverOf(operation))
  return values || /^date/.test(String(format)) ? requiredParameters(operation, 'path')[name] : undefined
}
