import { dirname, join } from 'node:path'
import { codeOf } from '../../errors.ts'
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
