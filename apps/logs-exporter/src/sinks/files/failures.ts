import { SinkError } from '../../errors.ts'
import { DamagedError } from '../../formats/index.ts'
import { withSystemFailures } from '../system-failure.ts'

/**
 * Runs an operation on the folder of the sink, or on one of its files.
 *
 * @throws SinkError for damage and for failures of the file system; other errors unchanged
 */
export async function withSinkErrors<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await withSystemFailures((why) => `The folder ${path} of the files sink cannot be used: ${why}.`, act)
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error
    throw new SinkError('damaged', `The file ${path} ${error.message}.`, { cause: error })
  }
}
