import type { SinkErrorKind } from './sink-error.ts'

/** What the caller must do after a failure of the operating system, and the reason as a clause. */
export interface SystemFailure {
  readonly kind: SinkErrorKind
  readonly why: string
}

const failures: Readonly<Record<string, readonly [SinkErrorKind, string]>> = {
  ENOSPC: ['transient', 'its disk is full; free some space; no data is lost'],
  EDQUOT: ['transient', 'its quota is used up; free some space; no data is lost'],
  EFBIG: ['transient', 'its limit of file sizes is reached; raise it for the process'],
  EMFILE: ['transient', 'too many files are open; raise the limit of the process'],
  EROFS: ['permanent', 'its file system is read-only'],
  EACCES: ['permanent', 'this user may not write to it'],
  EPERM: ['permanent', 'its file system does not allow hard links, which the files sink needs'],
  ENOTSUP: ['permanent', 'its file system does not support hard links, which the files sink needs'],
  ENOTDIR: ['permanent', 'it, or a part of its path, is not a directory'],
}

/**
 * Explains an error code of the operating system. All sinks use it. Unknown codes count as transient.
 *
 * @param code such as ENOSPC
 * @param message for an unknown code
 */
export function systemFailure(code: string, message: string): SystemFailure {
  const [kind, why] = failures[code] ?? ['transient', message]
  return { kind, why }
}
