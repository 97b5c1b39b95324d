/**
 * Why a `fetch` failed, in a word or two: the code of the socket where there is one. Neither address nor header is in it.
 *
 * @param error what `fetch` or its body threw
 */
export function networkFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}
