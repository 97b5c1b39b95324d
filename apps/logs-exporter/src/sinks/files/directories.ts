import { dirname, join } from 'node:path'
import { codeOf, type Disk } from './disk.ts'

/** Directories below a folder whose names survive a power failure. */
export interface Directories {
  /**
   * Creates a directory and its parents, and runs `act` in it. Repeats both if a clean-up job has removed the empty directory.
   *
   * @param path below the folder, with `/`
   */
  within<T>(path: string, act: () => Promise<T>): Promise<T>
}

/** Number of paths in the cache; a day of a thousand zones has fewer. */
const maxKnown = 50_000

/**
 * A process may be killed after it created a directory and before it synced the name. So each process syncs every directory
 * once, no matter who created it.
 *
 * @param root is created as well, with its parents
 */
export function createDirectories(disk: Disk, root: string): Directories {
  const known = new Set<string>()

  async function make(path: string): Promise<void> {
    if (known.has(path)) return
    try {
      await disk.makeDirectory(path)
    } catch (error) {
      if (codeOf(error) === 'ENOENT' && dirname(path) !== path) {
        await make(dirname(path))
        return make(path)
      }
      if (codeOf(error) !== 'EEXIST') throw error
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
