import type { ApiError, IncompleteLogsError, TransportError } from '@cdn/api'

interface ErrorsByName {
  readonly ApiError: ApiError
  readonly IncompleteLogsError: IncompleteLogsError
  readonly TransportError: TransportError
}

/**
 * Whether an exception is an error of `@cdn/api` with this name. It is recognized by name for two reasons: the command may use
 * another copy of the package, and loading the package takes time.
 */
export function isNamed<Name extends keyof ErrorsByName>(error: unknown, name: Name): error is ErrorsByName[Name] {
  return error instanceof Error && error.name === name
}

/** The code of an error of the system or of Node, such as ENOENT; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
