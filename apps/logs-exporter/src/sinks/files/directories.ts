import { dirname, join } from 'node:path'
import { codeOf, SinkError } from '../../errors.ts'
import type { Disk } from './disk.ts'

/** Directories whose names survive a power failure, below one folder. */
export interface Directories {
  /**
   * Creates a directory and its parents, and runs `act` in it. If a clean-up job removes the empty directory, repeats both.
   *
   * @param path below the folder, separated by `/`
   */
  within<T>(path: string, act: () => Promise<T>): Promise<T>
}

/** Maximum number of paths in the cache. A day of a thousand zones has fewer. */
const maxKnown = 50_000

/**
 * Creates directories and syncs their names. A process may be killed after it created a directory and before it synced the name.
 * So each process syncs every directory once, no matter who created it.
 *
 * @param root is created as well, with its parents
 */
export function createDirectories(disk: Disk, root: string): Directories {
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
      // If the parent exists and has no room for a directory, it never will.
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
    async within(path, act) {
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
