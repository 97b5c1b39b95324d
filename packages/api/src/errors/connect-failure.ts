/** An error with the fields that Node and Bun add. */
export interface SystemError extends Error {
  code?: unknown
  syscall?: unknown
}

/**
 * Whether the runtime proves that no part of a request was sent, because no connection was established. Node shows it in the
 * cause, Bun in the error itself, Deno in a text; browsers and workerd never do. A connection that broke later (ECONNRESET) may
 * have carried the request.
 *
 * @param error rejected by `fetch`, or a TransportError
 */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall, isUnsent: proven }: SystemError & { isUnsent?: unknown } = error
  return (
    proven === true ||
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    syscall === 'connect' ||
    error.message.includes('client error (Connect)') ||
    isUnsent(error.cause)
  )
}
