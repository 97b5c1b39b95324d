import { DamagedError } from '../../formats/index.ts'
import { SinkError, type SinkErrorKind } from '../sink-error.ts'
import { codeOf } from './disk.ts'

const known: Readonly<Record<string, readonly [SinkErrorKind, string]>> = {
  ENOSPC: ['transient', 'its disk is full; make room, nothing is lost until then'],
  EDQUOT: ['transient', 'its quota is used up; make room, nothing is lost until then'],
  EROFS: ['permanent', 'its file system is read-only'],
  EACCES: ['permanent', 'it may not be written by this user'],
  EPERM: ['permanent', 'its file system does not allow links between files, which the files sink needs'],
  ENOTSUP: ['permanent', 'its file system does not know links between files, which the files sink needs'],
  ENOTDIR: ['permanent', 'it, or a part of its path, is no directory'],
  EMFILE: ['transient', 'too many files are open; raise the limit of the process'],
}

/**
 * Does something to the folder of the sink.
 *
 * @throws SinkError in one sentence for failures of the file system; others as they are
 */
export async function told<T>(folder: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof DamagedError)
      throw new SinkError('damaged', `The file ${folder} ${error.message}.`, { cause: error })
    const code = codeOf(error)
    if (code === undefined) throw error
    const [kind, why] = known[code] ?? ['transient', error instanceof Error ? error.message : code]
    throw new SinkError(kind, `The folder ${folder} of the files sink cannot be used: ${why} (${code}).`, {
      cause: error,
    })
  }
}
