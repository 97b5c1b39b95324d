import { contracts, type Operation } from '@cdn/api/contract'
import type { Answer } from './answer.ts'
import type { CheckContext } from './check.ts'
import { need, reasonOf, TargetUnavailable } from './failure.ts'
import { dayOf, resourceOf } from './resources.ts'

/** What a request carries as its credential: one of the schemes of the contract, or none. */
export type Credential = { readonly scheme: string; readonly value: string } | undefined

export interface Request {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** A string goes out as it is; anything else as JSON, or as bytes. */
  readonly body?: unknown
  /** The operation's own valid credential where absent; `undefined` sends none. */
  readonly credential?: Credential
}

const attempts = 3
const troubled = [502, 503, 504]

/**
 * Sends one request for an operation and reads the answer. 429 is tried again twice after the time of the rate limit, and
 * 502 to 504 for reads, unless the caller wants to see the 429 itself.
 *
 * @param request path parameters by name (missing ones come from the fixtures), query, body, credential
 * @param options `seeRateLimit` hands out a 429 instead of trying again, `seeTrouble` any answer
 * @throws TargetUnavailable when no usable answer came; Skip when a fixture is missing
 */
export async function call(
  context: CheckContext,
  operation: Operation,
  request: Request = {},
  options: { seeRateLimit?: boolean; seeTrouble?: boolean } = {},
): Promise<Answer> {
  const [url, init] = toFetch(context, operation, request)
  for (let attempt = 1; ; attempt++) {
    const answer = await send(context, url, init)
    const limited = answer.status === 429 && !options.seeRateLimit
    const away = troubled.includes(answer.status) && operation.effect === 'read'
    if (options.seeTrouble || (!limited && !away)) return answer
    if (attempt === attempts)
      throw new TargetUnavailable(`target unavailable: ${answer.status} ${attempts} times in a row`)
    await context.wait(operation.rateLimit?.windowMs ?? 1_000)
  }
}

async function send(context: CheckContext, url: URL, init: RequestInit): Promise<Answer> {
  try {
    const response = await context.fetch(url, { ...init, redirect: 'manual', signal: context.signal })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    throw new TargetUnavailable(`target unavailable: ${reasonOf(error)}`, { cause: error })
  }
}

function toFetch(context: CheckContext, operation: Operation, request: Request): [URL, RequestInit] {
  const base = operation.interface === 'management' ? context.management : context.logging
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(request.path?.[name] ?? need(pathFixture(context, operation, name), `value for {${name}}`)),
  )
  const url = new URL(base.href.replace(/\/$/, '') + path)
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
  return typeof body === 'string' || body instanceof Uint8Array
    ? (body as string | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body)
}

function bodyHeaders(operation: Operation, body: unknown): Record<string, string> {
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {})
  return body !== undefined && mediaType ? { 'Content-Type': mediaType } : {}
}

function credentialHeaders(operation: Operation, credential: Credential): Record<string, string> {
  if (!credential) return {}
  const scheme = contracts[operation.interface].schemes.find(({ name }) => name === credential.scheme)
  if (!scheme) throw new Error(`the ${operation.interface} contract has no scheme ${credential.scheme}`)
  return { [scheme.header]: scheme.kind === 'bearer' ? `Bearer ${credential.value}` : credential.value }
}

/**
 * A valid credential of a scheme from the fixtures.
 *
 * @throws Skip when the fixtures hold none
 */
export function credentialOf(context: CheckContext, operation: Operation, scheme: string): Credential {
  const kind = contracts[operation.interface].schemes.find(({ name }) => name === scheme)?.kind
  const { accessKey, bearer } = context.fixtures.credentials
  return kind === 'bearer'
    ? { scheme, value: need(bearer, 'credentials.bearer') }
    : { scheme, value: need(accessKey, 'credentials.accessKey') }
}

function validCredential(context: CheckContext, operation: Operation): Credential {
  const [scheme] = operation.schemes
  return scheme === undefined ? undefined : credentialOf(context, operation, scheme)
}

function pathFixture(context: CheckContext, operation: Operation, name: string): string | undefined {
  if (name === 'date') return dayOf(context.now())
  const resource = resourceOf(operation)
  return resource && context.fixtures[resource.present]
}
