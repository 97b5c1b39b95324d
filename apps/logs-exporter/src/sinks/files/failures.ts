import { codeOf, messageOf } from '../../errors.ts'
import { DamagedError } from '../../formats/index.ts'
import { SinkError } from '../sink-error.ts'
import { systemFailure } from '../system-failure.ts'

/**
 * Runs an operation on the folder of the sink.
 *
 * @throws SinkError for failures of the file system; other errors unchanged
 */
export async function withSinkErrors<T>(folder: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof DamagedError)
      throw new SinkError('damaged', `The file ${folder} ${error.message}.`, { cause: error })
    const code = codeOf(error)
    if (code === undefined) throw error
    const { kind, why } = systemFailure(code, messageOf(error))
    throw new SinkError(kind, `The folder ${folder} of the files sink cannot be used: ${why} (${code}).`, {
      cause: error,
    })
  }
}
