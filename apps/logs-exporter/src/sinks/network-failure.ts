/**
 * A short reason why a `fetch` failed: the code of the socket, if there is one. Contains neither address nor headers.
 *
 * @param error thrown by `fetch` or its body
 */
export function networkFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}
