/** Writes files of a run. They may contain log rows of visitors, so only their owner can read them. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeFailure } from '@cdn/kit/system-error'
import { SuiteConfigurationError } from './failure.ts'

/** File mode: only the owner can read and write. */
const ownerOnly = 0o600

/**
 * Writes a file that only its owner can read, completely or not at all, and creates its folder. The name of the temporary file
 * cannot be guessed, so no one can put a symbolic link in its place.
 *
 * @throws the file system's error
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  await makeFolder(dirname(file))
  try {
    const handle = await open(temporary, 'wx', ownerOnly)
    await handle.writeFile(text).finally(() => handle.close())
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
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

/** Runs `work`. @throws SuiteConfigurationError in one sentence instead of an error of the file system */
export async function orSay<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    const code = String(cause.code)
    const advice = code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space.' : 'Choose a writable path.'
    throw new SuiteConfigurationError(`Cannot ${doing} ${path}: ${writeFailure(code)}. ${advice}`, { cause })
  }
}
