import { codeOf, messageOf, SinkError, type SinkErrorKind } from '../errors.ts'

/** What the caller must do after a failure of the operating system, and the reason as a clause. Unknown codes are transient. */
const failures: Readonly<Record<string, readonly [SinkErrorKind, string]>> = {
  ENOSPC: ['transient', 'its disk is full; free some space; no data is lost'],
  EDQUOT: ['transient', 'its quota is used up; free some space; no data is lost'],
  EFBIG: ['transient', 'its limit of file sizes is reached; raise it for the process'],
  EMFILE: ['transient', 'too many files are open; raise the limit of the process'],
  EROFS: ['permanent', 'its file system is read-only'],
  EACCES: ['permanent', 'this user may not write to it'],
  EPERM: ['permanent', 'its file system does not allow hard links, which the files sink needs'],
  ENOTSUP: ['permanent', 'its file system does not support hard links, which the files sink needs'],
  ELOOP: ['permanent', 'its path is a loop of links'],
  ENOTDIR: ['permanent', 'it, or a part of its path, is not a directory'],
}

/**
 * Runs an operation of the file system.
 *
 * @param describe creates the sentence from the reason, which ends with the code, such as ENOSPC
 * @throws SinkError; errors without a code unchanged
 */
export async function withSystemFailures<T>(describe: (why: string) => string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    const [kind, why] = failures[code] ?? ['transient', messageOf(error)]
    throw new SinkError(kind, describe(`${why} (${code})`), { cause: error })
  }
}
