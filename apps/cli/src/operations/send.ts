import { ApiError, createLoggingClient, createManagementClient, withTimeout } from '@cdn/api'
import type { Operation } from '@cdn/api/contract'
import type { CommandContext } from '../program/command.ts'
import { UsageError } from '../terminal/command-error.ts'

/** The values of a request, by the names of the contract. */
export interface OperationValues {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  /** The body as bytes, so that it is sent unchanged. */
  readonly body?: Uint8Array<ArrayBuffer>
  readonly type?: string
}

export interface OperationResponse {
  /** Parsed JSON, text, a stream of bytes, or undefined without a body. */
  readonly data: unknown
  readonly response: Response
}

/** Maximum number of attempts: enough for most transient errors, without a long wait for the user. */
const attempts = 3
const firstPauseMs = 300
/** Maximum pause within a response, and maximum time of a request whose response is not streamed, in ms. */
const [idleMs, totalMs] = [60_000, 120_000]

type LooseRequest = (
  method: string,
  path: string,
  options: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>

/** The parts of an operation that decide how a request is sent. */
export type RequestTarget = Pick<Operation, 'interface' | 'method' | 'path' | 'schemes'>

/**
 * Sends a request, which may be outside the contract. Uses the client of `@cdn/api`, with its retries and its redaction.
 *
 * @param parseAs how to read a successful response
 * @param timeoutMs maximum time in ms, with all attempts. By default two minutes; a stream may take any time while bytes arrive
 * @returns the successful response
 * @throws ApiError for any other response, TransportError without a usable response, UsageError for a value that cannot be sent;
 *   errors of `platform.options`
 */
export async function send(
  context: CommandContext,
  { interface: name, method, path, schemes }: RequestTarget,
  { path: parameters, query, headers, body, type }: OperationValues,
  parseAs: 'json' | 'text' | 'stream',
  timeoutMs: number | undefined = parseAs === 'stream' ? undefined : totalMs,
): Promise<OperationResponse> {
  for (const [header, value] of Object.entries(headers)) {
    // Fetch accepts only Latin-1 without control characters in headers.
    if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value)) {
      throw new UsageError(`The header ${header} must be Latin-1 text in one line`)
    }
  }
  const options = {
    ...(await context.platform.options(name, schemes)),
    retry: { attempts, firstPauseMs },
    // The client's time-out would limit each attempt. `withTimeout` limits all of them together; by default, a stream has no limit.
    timeout: false as const,
    idleTimeout: idleMs,
    wrap: timeoutMs === undefined ? [] : [withTimeout(timeoutMs)],
  }
  // The operation is selected at run time, so its types are unknown here.
  const client = name === 'management' ? createManagementClient(options) : createLoggingClient(options)
  const request = client.request as unknown as LooseRequest
  const { data, error, response } = await request(method, path, {
    params: { path: parameters, query },
    ...(body && { body }),
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...headers },
    parseAs,
    signal: context.signal,
  }).catch((error: unknown) => {
    // The client alone decides which values a path and a query may have.
    const isValue = error instanceof Error && /^(Path|Query) (parameter|must) /.test(error.message)
    throw isValue ? new UsageError(`${error.message}.`) : error
  })
  if (!response.ok) throw new ApiError(response, error)
  return { data, response }
}
