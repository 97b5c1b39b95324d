import type { ParamsOption, RequestBodyOption } from 'openapi-fetch'
import type { LoggingError, LoggingErrorAt } from './errors/logging-error.ts'
import type { ManagementErrorAt } from './errors/management-error.ts'
import type { TransportError } from './errors/transport-error.ts'
import type { Middleware } from './middleware.ts'

/** The types of a call, derived from a generated `paths`: what goes in, and the value that comes out. */

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'

type PathsWith<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends Record<M, unknown> ? Path : never
}[keyof Paths]

type OperationAt<Paths, Path, M extends Method> = Path extends keyof Paths
  ? Paths[Path] extends Record<M, infer Operation>
    ? Operation
    : never
  : never

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | '2XX'

type SuccessOf<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & SuccessStatus]: Responses[Status] extends { content: infer Content }
        ? Content[keyof Content]
        : undefined
    }[keyof Responses & SuccessStatus]
  : unknown

type ErrorStatus<Operation> = Operation extends { responses: infer Responses }
  ? Exclude<keyof Responses, SuccessStatus> & number
  : never

/** The errors of an operation: one for each status that the contract shows, and one for any other. */
export type ErrorOf<ApiError, Status extends number, Codes> =
  | ApiError
  | { [Each in Status]: ErrorAt<ApiError, Each, Each extends keyof Codes ? Codes[Each] & string : never> }[Status]

type ErrorAt<ApiError, Status extends number, Code extends string> = ApiError extends LoggingError
  ? LoggingErrorAt<Status, Code>
  : ManagementErrorAt<Status>

/** How the body of a success is read: `json`, the default, or as one of the forms of `Response`. */
export type ParseAs = 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'

/** Reads the body of a success; what it throws means that the body is not what was asked for. */
export interface Parse<Value = unknown> {
  (body: Uint8Array<ArrayBuffer>): Value
  /** Where the body is read into, if it has room there. */
  readonly room?: Uint8Array<ArrayBuffer>
}

interface Parsed<Json> {
  json: Json
  text: string
  blob: Blob
  arrayBuffer: ArrayBuffer
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null
}

type Result<As, Json> = As extends ParseAs ? Parsed<Json>[As] : As extends Parse<infer Value> ? Value : never

/** Options of one call: `params` and `body` as the contract has them, and how to send it. */
export type CallOptions<Operation, As = ParseAs> = ParamsOption<Operation> &
  RequestBodyOption<Operation> & {
    parseAs?: As
    headers?: HeadersInit
    signal?: AbortSignal | undefined
    /** What this call goes through, after the client's own middlewares. */
    use?: readonly Middleware[]
  }

/** What comes of a call. Look at `error`, or at `response.ok`. */
export type CallResult<Data, ApiError> =
  | { readonly data: Data; readonly error: undefined; readonly response: Response }
  | { readonly data: undefined; readonly error: ApiError; readonly response: Response | undefined }

type Call<Paths, M extends Method, ApiError, Codes> = <
  Path extends PathsWith<Paths, M>,
  As extends ParseAs | Parse = 'json',
>(
  path: Path,
  ...options: Partial<CallOptions<OperationAt<Paths, Path, M>>> extends CallOptions<OperationAt<Paths, Path, M>>
    ? [options?: CallOptions<OperationAt<Paths, Path, M>, As>]
    : [options: CallOptions<OperationAt<Paths, Path, M>, As>]
) => Promise<
  CallResult<
    Result<As, SuccessOf<OperationAt<Paths, Path, M>>>,
    ErrorOf<ApiError, ErrorStatus<OperationAt<Paths, Path, M>>, OperationAt<Codes, Path, M>> | TransportError
  >
>

/**
 * Typed calls of one interface. `Codes` are those of its errors, by path, method and status. A call gives a value for whatever
 * network and platform do; it rejects with a TypeError
 * or RangeError where the caller's parameters cannot be sent.
 */
export interface Calls<Paths, ApiError, Codes = unknown> {
  readonly GET: Call<Paths, 'get', ApiError, Codes>
  readonly PUT: Call<Paths, 'put', ApiError, Codes>
  readonly POST: Call<Paths, 'post', ApiError, Codes>
  readonly PATCH: Call<Paths, 'patch', ApiError, Codes>
  readonly DELETE: Call<Paths, 'delete', ApiError, Codes>
}
