/**
 * A short reason why a `fetch` failed. It is the code of the socket, if there is one. Contains no address and no headers.
 *
 * @param error thrown by `fetch` or while its body was read
 */
export function networkFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}
