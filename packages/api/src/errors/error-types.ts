import type { codes as loggingCodes, paths as loggingPaths } from '../gen/logging.ts'
import type { paths as managementPaths } from '../gen/management.ts'
import type { ApiError } from './api-error.ts'

/** The error types of an operation, derived from the contract. */

export type ErrorMethod = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options'

type At<Of, Key> = Key extends keyof Of ? Of[Key] : unknown

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206

type ErrorStatus<Responses> = Exclude<keyof Responses, SuccessStatus> & number

type BodyOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] | undefined : undefined

/** A union with one error type per status of the contract. Other codes stay allowed, because the platform may send them. */
export type ErrorOf<Operation, Codes> = Operation extends { responses: infer Responses }
  ? {
      [Status in ErrorStatus<Responses>]: ApiError<
        Status,
        At<Codes, Status> extends infer Code extends string ? Code | (string & {}) | undefined : string | undefined,
        BodyOf<Responses[Status]>
      >
    }[ErrorStatus<Responses>]
  : ApiError

/** The errors of an operation of the management interface, such as `ManagementErrorOf<'get', '/pullzone/{id}'>`. */
export type ManagementErrorOf<M extends ErrorMethod, Path extends keyof managementPaths> = ErrorOf<
  At<managementPaths[Path], M>,
  unknown
>

/** The errors of an operation of the logging interface, narrowed by status and code. */
export type LoggingErrorOf<M extends ErrorMethod, Path extends keyof loggingPaths> = ErrorOf<
  At<loggingPaths[Path], M>,
  At<At<loggingCodes, Path>, M>
>
