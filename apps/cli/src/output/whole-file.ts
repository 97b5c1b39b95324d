import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeFailure } from '@cdn/kit/system-error'
import { CommandError } from '../terminal/command-error.ts'

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

/**
 * Writes a file completely or not at all. An existing file is replaced after the last piece is written.
 *
 * @param isPrivate whether only the owner can read the file, whatever the umask is. If true, a missing folder is created
 * @throws CommandError if it cannot be written; errors of reading the pieces
 */
export async function writeWholeFile(file: string, pieces: Pieces, isPrivate = false): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  const explained = <T>(promise: Promise<T>): Promise<T> =>
    promise.catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(`${file} cannot be written: ${writeFailure(error.code ?? error.message)}`)
    })
  if (isPrivate) await explained(mkdir(dirname(file), { recursive: true, mode: 0o700 }))
  await rm(temporary, { force: true }).catch(() => {})
  const handle = await explained(open(temporary, 'wx', isPrivate ? 0o600 : 0o666))
  try {
    for await (const piece of pieces) await explained(handle.appendFile(piece))
    // The umask may have removed permissions.
    if (isPrivate) await explained(handle.chmod(0o600))
    await explained(handle.sync())
    await handle.close()
    await explained(rename(temporary, file))
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}
