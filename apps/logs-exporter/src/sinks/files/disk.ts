import { createReadStream } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '@cdn/kit/system-error'
import { SinkError } from '../../errors.ts'
import type { StoredFile } from '../../formats/format.ts'

/** File system operations of the files sink. Errors have Node's codes. */
export type Disk = typeof disk

export const disk = {
  /** @param mode permissions of the file @throws Error with the code EEXIST if the path exists */
  async create(path: string, mode: number) {
    const file = await open(path, 'wx', mode)
    return {
      write: (bytes: Uint8Array): Promise<void> => file.appendFile(bytes),
      /** Makes the written bytes survive a power failure. */
      sync: (): Promise<void> => file.sync(),
      close: (): Promise<void> => file.close(),
    }
  },
  /** @throws Error with the code EEXIST if `to` exists */
  link: (from: string, to: string): Promise<void> => link(from, to),
  unlink: (path: string): Promise<void> => unlink(path),
  /** @throws Error with the code EEXIST if the path exists */
  makeDirectory: (path: string): Promise<void> => mkdir(path),
  /** Makes the names in a directory survive a power failure. */
  syncDirectory: (path: string): Promise<void> => using(path, (directory) => directory.sync()),
  list: (path: string): Promise<string[]> =>
    readdir(path).catch((error) => (codeOf(error) === 'ENOENT' ? [] : Promise.reject(error))),
  async input(path: string): Promise<StoredFile> {
    const { size } = await stat(path)
    return {
      size,
      stream: () => createReadStream(path),
      slice: (from, to) =>
        using(path, async (file) => {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, to - from)), 0, undefined, from)
          return buffer.subarray(0, bytesRead)
        }),
    }
  },
  /** Time of the last write, in ms since 1970. */
  changedAt: async (path: string): Promise<number> => (await stat(path)).mtimeMs,
}

async function using<T>(path: string, act: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    return await act(file)
  } finally {
    await file.close()
  }
}

const maxKnown = 50_000

/**
 * Creates directories and syncs their names. A process may be killed after it created a directory and before it synced the name.
 * So each process syncs every directory at its first use, no matter which process created it.
 *
 * @param root is created as well, with its parents
 */
export function createDirectories(disk: Disk, root: string) {
  const known = new Set<string>()

  /** @returns whether the directory exists now; false if its parent does not */
  async function create(path: string): Promise<boolean> {
    try {
      await disk.makeDirectory(path)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      if (codeOf(error) !== 'EEXIST') throw error
    }
    return true
  }
  async function make(path: string): Promise<void> {
    if (known.has(path)) return
    if (!(await create(path))) {
      const parent = dirname(path)
      known.delete(parent)
      if (parent !== path) await make(parent)
      // The parent exists now, so a second ENOENT is permanent.
      if (!(await create(path)))
        throw new SinkError(
          'permanent',
          `The folder ${path} of the files sink cannot be created (ENOENT): ${parent} is a link to a missing folder, or its file system takes no folders.`,
        )
    }
    await disk.syncDirectory(dirname(path))
    if (known.size >= maxKnown) known.clear()
    known.add(path)
  }
  async function makeAll(path: string): Promise<void> {
    let at = root
    await make(root)
    for (const name of path.split('/')) {
      at = join(at, name)
      await make(at)
    }
  }
  return {
    /**
     * Creates a directory and its parents, and runs `act` in it. If a clean-up job removes the empty directory, repeats both.
     *
     * @param path below `root`, separated by `/`
     */
    async within<T>(path: string, act: () => Promise<T>): Promise<T> {
      await makeAll(path)
      try {
        return await act()
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error
        known.clear()
        await makeAll(path)
        return act()
      }
    },
  }
}
