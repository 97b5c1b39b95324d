/** Reads and writes the files that a program keeps for its user alone: profiles, reports, memories. */
import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { codeOf, errorWithCode } from './system-error.ts'

/** Flags to open a private file: links are not followed, and opening a pipe does not wait. Windows has neither flag. */
export const privateFileFlags = (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * Reads a private file. Never waits for a pipe, and follows no link.
 *
 * @param warn called with a sentence if other users can read or replace the file
 * @returns undefined if the file does not exist
 * @throws Error whose `code` is the reason: a code such as `EACCES`, or words such as `it is a symbolic link`
 */
export function readPrivateFile(file: string, warn: (sentence: string) => void = () => {}): string | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, constants.O_RDONLY | privateFileFlags)
    const status = fstatSync(handle)
    if (!status.isFile()) throw errorWithCode('ENXIO')
    const user = process.getuid?.()
    if (user !== undefined) for (const risk of risksOf(file, status, statSync(dirname(file)), user)) warn(risk)
    return readFileSync(handle, 'utf8')
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code === 'ENOENT') return undefined
    const reasons: Readonly<Record<string, string>> = {
      ELOOP: 'it is a symbolic link',
      ENXIO: 'it is not a regular file', // the system's code for a socket
    }
    throw reasons[code] ? errorWithCode(reasons[code]) : error
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/**
 * Describes each way in which other users could read or replace a file. Files of root count as the user's own.
 *
 * @param status of the file
 * @param folder status of its folder
 * @param user id of the user
 */
export function risksOf(
  file: string,
  status: Pick<Stats, 'uid' | 'mode'>,
  folder: Pick<Stats, 'uid' | 'mode'>,
  user: number,
): string[] {
  const isForeign = ({ uid }: Pick<Stats, 'uid'>) => uid !== user && uid !== 0
  return [
    status.mode & 0o077 ? [`Others can read the keys in ${file}. Run: chmod 600 '${file}'`] : [],
    isForeign(status) ? [`${file} belongs to another user, who can read and change it.`] : [],
    isForeign(folder) || folder.mode & 0o022
      ? [`Others can replace ${file}. Make its folder your own, and run: chmod 700 '${dirname(file)}'`]
      : [],
  ].flat()
}

/**
 * Writes a file completely or not at all, and creates its folder. Only its owner can read the file, whatever the umask is. A link in its
 * place is replaced, not followed. The temporary file has a random name, so that no other user can put a link in its place.
 *
 * @param folderMode permissions of a new folder
 * @throws the file system's error; the file is then unchanged
 */
export async function writeWhole(file: string, text: string, folderMode?: number): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  makeFolder(dirname(file), folderMode)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.chmod(0o600) // the umask may have removed permissions
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/**
 * Creates a folder and the missing folders above it. Node's own `recursive` never returns for a path such as `/proc/x/y`.
 *
 * @throws the file system's error
 */
export function makeFolder(folder: string, mode?: number): void {
  const path = resolve(folder)
  const make = () => mkdirSync(path, { ...(mode !== undefined && { mode }) })
  try {
    make()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeFolder(dirname(path), mode)
    make()
  }
}
