/** Files of a run. They may contain log rows of visitors, so only their owner can read them. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeFailure } from '@cdn/kit/system-error'
import { SuiteConfigurationError } from './failure.ts'

const ownerOnly = 0o600
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants

/**
 * Writes a file completely or not at all. The name of the temporary file cannot be guessed, so no one can put a symbolic
 * link in its place.
 *
 * @throws the file system's error
 */
export async function writeWhole(file: string, text: string, mode: number = ownerOnly): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', mode)
    await handle.writeFile(text).finally(() => handle.close())
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/**
 * Appends to a file and waits until the text is on the disk. Follows no symbolic link.
 *
 * @throws the file system's error
 */
export async function append(file: string, text: string): Promise<void> {
  const handle = await open(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, ownerOnly)
  try {
    // An earlier version may have created the file with other permissions.
    await handle.chmod(ownerOnly)
    await handle.appendFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Creates a folder and the missing folders above it. Node's own recursive `mkdir` never ends below `/proc`.
 *
 * @throws the file system's error
 */
export async function makeFolder(folder: string): Promise<void> {
  const make = () =>
    mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
    })
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder))
    await make()
  })
}

/** Runs `work`, and turns an error of the file system into a sentence. */
export async function orSay<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    throw new SuiteConfigurationError(
      `Cannot ${doing} ${path}: ${writeFailure(String(cause.code))}. Choose a writable path.`,
      { cause },
    )
  }
}
