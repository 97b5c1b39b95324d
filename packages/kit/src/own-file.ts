/** Writes the files that a program keeps: profiles, reports, memories. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Writes a file completely or not at all, and creates its folder. Only its owner can read the file, whatever the umask is. A link in its
 * place is replaced, not followed: the name of the temporary file cannot be guessed.
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
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeFolder(dirname(path), mode)
    make()
  }
}
