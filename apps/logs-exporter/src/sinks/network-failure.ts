import { codeOf } from '../errors.ts'

/**
 * A short reason why a `fetch` failed. It is the code of the socket, if there is one. Contains no address and no headers.
 *
 * @param error thrown by `fetch` or while its body was read
 */
export function networkFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return codeOf(cause) ?? (cause instanceof Error ? cause.name : 'unknown')
}
