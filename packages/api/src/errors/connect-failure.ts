/** An error with the fields that Node and Bun add. */
export interface SystemError extends Error {
  code?: unknown
  syscall?: unknown
}

/**
 * Whether the runtime proves that no part of a request was sent, because no connection was established. Node gives the proof in
 * the cause, Bun in the error itself, Deno in a text. Browsers and workerd give none. A connection that broke later (ECONNRESET)
 * may have carried the request.
 *
 * @param error an error of `fetch`, or a TransportError
 */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall, isUnsent: proven }: SystemError & { isUnsent?: unknown } = error
  return (
    proven === true ||
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    syscall === 'connect' ||
    error.message.startsWith('Proxy response (') ||
    error.message.includes('client error (Connect)') ||
    isUnsent(error.cause)
  )
}
