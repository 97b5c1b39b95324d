import { type CallError, createLoggingClient, createManagementClient, idleTimeout, retry } from '@cdn/api'
import type { Operation } from '@cdn/api/contract'
import type { Context } from '../context/context.ts'
import { UsageError } from '../errors/command-error.ts'

/** What goes out, by the names of the contract. */
export interface Sent {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  /** The body as bytes, so that nothing is written anew. */
  readonly body?: Uint8Array<ArrayBuffer>
  /** Media type of the body. */
  readonly type?: string
}

/** What came back. */
export interface Answer {
  /** Parsed JSON, a stream of text, or undefined where there is no body. */
  readonly data: unknown
  readonly response: Response
}

/** Enough for a trouble that passes; a user who waits would rather know. */
const attempts = 3
const firstPauseMs = 300
/** The longest silence of the platform, in milliseconds. */
const idleMs = 60_000

type Call = (
  path: string,
  options: object,
) => Promise<{ data: unknown; error: CallError | undefined; response: Response }>

/** The operation as far as it decides how a request is sent. */
export type Sendable = Pick<Operation, 'interface' | 'method' | 'path' | 'schemes'>

/**
 * Sends a request of the contract, or one like it, with the client of `@cdn/api`: its retries, its redaction.
 *
 * @param parseAs how a success is read
 * @returns the answer of a success
 * @throws CallError for whatever else comes back, UsageError for a header that cannot be sent
 */
export async function send(
  context: Context,
  { interface: name, method, path, schemes }: Sendable,
  { path: parameters, query, headers, body, type }: Sent,
  parseAs: 'json' | 'text' | 'stream',
): Promise<Answer> {
  for (const [header, value] of Object.entries(headers)) {
    // What fetch takes: Latin-1 without control characters.
    if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value)) {
      throw new UsageError(`The header ${header} must be Latin-1 text in one line`)
    }
  }
  const options = {
    ...(await context.platform.options(name, schemes)),
    use: [retry({ attempts, firstPauseMs }), idleTimeout(idleMs)],
  }
  const client = name === 'management' ? createManagementClient(options) : createLoggingClient(options)
  const call = (client as unknown as Record<string, Call | undefined>)[method.toUpperCase()]
  if (!call) throw new TypeError(`The client does not know the method ${method}`)
  const { data, error, response } = await call(path, {
    params: { path: parameters, query },
    ...(body && { body }),
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...headers },
    parseAs,
    signal: context.signal,
  })
  if (error) throw error
  return { data, response }
}
