import { contracts, type Operation, type SecurityScheme } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { dayOf, dayParameterOf, idParameterOf, isImported, resourceOf } from '../checks/resources.ts'
import type { ReceivedResponse } from './answer.ts'
import type { CheckContext } from './check.ts'
import { need, reasonOf, Skip, TargetUnavailable } from './failure.ts'
import { baseOf, urlBelow } from './requested-operation.ts'

/** The credential of a request: one of the schemes of the contract, or undefined. */
export type SentCredential = { readonly scheme: string; readonly value: string } | undefined

export interface Request {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** A string or bytes are sent unchanged, any other value as JSON. */
  readonly body?: unknown
  /** The credential; a valid one for the operation by default. An explicit `undefined` sends no credential. */
  readonly credential?: SentCredential
}

const attempts = 3
/**
 * Maximum number of attempts if the answers are 429. The run itself obeys the rate limit, so another caller uses it. That takes
 * longer to pass than a transient error.
 */
const limitedAttempts = 6
const unavailableStatuses = [502, 503, 504]

/**
 * Sends one request for an operation and reads the answer. Retries a 429 after the window of the rate limit, and a
 * read after 502 to 504, which come from a gateway and not from the platform.
 *
 * @param request path parameters by name, query, body, credential; missing path parameters come from the fixtures
 * @param options `seeRateLimit` returns a 429 instead of retrying; `seeAnyStatus` returns any answer
 * @throws TargetUnavailable if no usable answer came; Skip if a fixture is missing, or after repeated 429
 */
export async function call(
  context: CheckContext,
  operation: Operation,
  request: Request = {},
  options: { seeRateLimit?: boolean; seeAnyStatus?: boolean } = {},
): Promise<ReceivedResponse> {
  // Check the permission for the operation here. If two interfaces share an address, the URL does not show the interface.
  context.permit(operation)
  const [url, init] = toFetch(context, operation, request)
  for (let attempt = 1; ; attempt++) {
    const answer = await send(context, url, init)
    const limited = answer.status === 429 && !options.seeRateLimit
    const away = unavailableStatuses.includes(answer.status)
    if (options.seeAnyStatus || (!limited && !away)) return answer
    if (limited && attempt === limitedAttempts)
      throw new Skip(`inconclusive: 429 on ${limitedAttempts} attempts, so another caller seems to use the rate limit`)
    // A write is not repeated, because the gateway may have passed it on.
    if (away && operation.effect !== 'read')
      throw new TargetUnavailable(`target unavailable: ${operation.name} was answered ${answer.status}`)
    if (away && attempt === attempts)
      throw new TargetUnavailable(`target unavailable: ${answer.status} ${attempts} times in a row`)
    await context.wait(operation.rateLimit?.windowMs ?? 1_000)
  }
}

async function send(context: CheckContext, url: URL, init: RequestInit): Promise<ReceivedResponse> {
  try {
    const response = await context.fetch(url, { ...init, redirect: 'manual', signal: context.signal })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    throw new TargetUnavailable(`target unavailable: ${reasonOf(error)}`, { cause: error })
  }
}

function toFetch(context: CheckContext, operation: Operation, request: Request): [URL, RequestInit] {
  const base = baseOf(context, operation.interface)
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(request.path?.[name] ?? need(pathFixture(context, operation, name), `value for {${name}}`)),
  )
  const url = urlBelow(base, path)
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value)
  const credential = 'credential' in request ? request.credential : validCredential(context, operation)
  const headers = {
    ...bodyHeaders(operation, request.body),
    ...credentialHeaders(operation, credential),
    ...request.headers,
  }
  const init: RequestInit = { method: operation.method.toUpperCase(), headers }
  if (request.body !== undefined) init.body = toBody(request.body)
  return [url, init]
}

function toBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  // The type excludes shared memory, which the suite never uses for a body.
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function bodyHeaders(operation: Operation, body: unknown): Record<string, string> {
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {})
  return body !== undefined && mediaType ? { 'Content-Type': mediaType } : {}
}

function credentialHeaders(operation: Operation, credential: SentCredential): Record<string, string> {
  if (!credential) return {}
  const { header, kind } = schemeOf(operation, credential.scheme)
  return { [header]: kind === 'bearer' ? `Bearer ${credential.value}` : credential.value }
}

function schemeOf(operation: Operation, scheme: string): SecurityScheme {
  return defined(contracts[operation.interface].schemes.find(({ name }) => name === scheme))
}

/**
 * Returns a valid credential of a scheme. It comes from the fixtures. An imported interface has its own environment
 * variable instead, so that no credential of the platform reaches another operator's server.
 *
 * @throws Skip if the credential is missing
 */
export function credentialOf(context: CheckContext, operation: Operation, scheme: string): SentCredential {
  const { kind, variable } = schemeOf(operation, scheme)
  const { accessKey, bearer, imported } = context.fixtures.credentials
  if (isImported(operation)) {
    const value = imported?.[variable]
    if (value === undefined) throw new Skip(`the environment variable ${variable} is not set`)
    return { scheme, value }
  }
  return kind === 'bearer'
    ? { scheme, value: need(bearer, 'credentials.bearer') }
    : { scheme, value: need(accessKey, 'credentials.accessKey') }
}

function validCredential(context: CheckContext, operation: Operation): SentCredential {
  const { imported } = context.fixtures.credentials
  const isThere = (scheme: string) => imported?.[schemeOf(operation, scheme).variable] !== undefined
  const scheme = operation.schemes.find(isThere) ?? operation.schemes[0]
  return scheme === undefined ? undefined : credentialOf(context, operation, scheme)
}

function pathFixture(context: CheckContext, operation: Operation, name: string): string | undefined {
  if (dayParameterOf(operation) === name) return dayOf(context.now())
  const resource = resourceOf(operation)
  return resource && idParameterOf(operation) === name ? context.fixtures[resource.present] : undefined
}
