/** Typed clients of the management and the logging interface with the types of openapi-fetch, fetch wrappers, and readers of log ranges. */

export type { Sleep } from '@cdn/kit/wait'
export type { Middleware } from 'openapi-fetch'
export {
  type ClientOptions,
  createLoggingClient,
  createManagementClient,
  type LoggingClient,
  type LoggingClientOptions,
  type ManagementClient,
} from './client.ts'
export {
  ApiError,
  type ErrorOf,
  isApiError,
  type LoggingErrorOf,
  type ManagementErrorOf,
  unwrap,
} from './errors/api-error.ts'
export { IncompleteLogsError } from './errors/incomplete-logs-error.ts'
export { TransportError, type TransportKind } from './errors/transport-error.ts'
export type { RetryReason } from './fetch/call.ts'
export { type Clock, realClock } from './fetch/clock.ts'
export { createLimiter, type Limiter, type LimiterOptions, withRateLimit } from './fetch/limiter.ts'
export { type AuthOptions, type Credential, type Credentials, withAuth } from './fetch/with-auth.ts'
export { type ObservedCall, type Observer, withObserver } from './fetch/with-observer.ts'
export { type RetryOptions, withRetry } from './fetch/with-retry.ts'
export { withIdleTimeout, withTimeout } from './fetch/with-timeout.ts'
export { withTransportErrors } from './fetch/with-transport-errors.ts'
export { type Fetch, type FetchWrapper, wrapFetch } from './fetch/wrapper.ts'
export { maxPageSize, rateLimit, retentionMs, rowFields } from './gen/limits.ts'
export type * from './gen/logging.schemas.ts'
export type { components as LoggingComponents, paths as LoggingPaths } from './gen/logging.ts'
export type * from './gen/management.schemas.ts'
export type { components as ManagementComponents, paths as ManagementPaths } from './gen/management.ts'
export { IncompleteListError, type ListItem, type ListPath, type PaginateOptions, paginate } from './lists/paginate.ts'
export type { CacheStatus } from './logs/cache-status.ts'
export type { LogFileRow, MalformedLine } from './logs/line.ts'
export type { LogFileQuery } from './logs/log-file.ts'
export { readLogFile } from './logs/log-file.ts'
export { type LogReader, type LogRow, readLogs } from './logs/read-logs.ts'
export type { Instant, ReaderOptions } from './logs/reader.ts'
export type { LogFilters } from './logs/request-page.ts'
export type { LogsQuery } from './logs/row-reader.ts'
export type { CallResult } from './named-client.ts'
export type { SendRequest } from './openapi-client.ts'
export type { CallOptions } from './options.ts'
