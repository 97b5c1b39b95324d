/** Wraps a thrown value that is not an error. */
export function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** The message of a thrown value. */
export function messageOf(cause: unknown): string {
  return toError(cause).message
}

/** The code of an error of Node or the operating system, for example `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
