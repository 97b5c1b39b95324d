import { networkReason } from '@cdn/kit/network-reason'

/**
 * A short reason why a `fetch` failed. It is the answer of a proxy or the code of the socket, if there is one. Contains no address and no headers.
 *
 * @param error thrown by `fetch` or while its body was read
 */
export function networkFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return networkReason(error) ?? (cause instanceof Error ? cause.name : 'unknown')
}
