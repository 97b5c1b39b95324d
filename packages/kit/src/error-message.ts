/** The message of an error, or the text of a thrown value that is not an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The innermost cause of an error; the error itself if it has no cause. */
export function innermostCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermostCause(error.cause) : error
}
