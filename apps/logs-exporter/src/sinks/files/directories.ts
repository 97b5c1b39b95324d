import { dirname, join } from 'node:path'
import { codeOf, type Disk } from './disk.ts'

/** Directories below a folder whose names survive a power failure. */
export interface Directories {
  /**
   * Makes a directory and those above it, and does something in it; again where it is gone: whoever tidies up removes empty ones.
   *
   * @param path below the folder, with `/`
   */
  within<T>(path: string, act: () => Promise<T>): Promise<T>
}

/** So many paths are remembered; those of a day of a thousand zones are fewer. */
const mostKnown = 50_000

/**
 * A directory that is there may have been made by a process that was killed before its name was synced: each one is
 * synced once a process, whoever made it.
 *
 * @param root made as well, with what is missing above it
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
    if (known.size >= mostKnown) known.clear()
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
