import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bundleScript } from '../../../../scripts/bundle.ts'

/** For campaigns in which only processes die, not the machine: a disk in memory saves the time of fsync. */
export const memoryPlace = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/**
 * Prepares a script that many short processes run. Most of their time is the start, so the modules are bundled once, and their
 * compiled code is cached.
 *
 * @param script path of a TypeScript module
 * @returns a function that bundles it at its first call, and returns the path to run and the variable that enables the cache
 */
export function bundleOnce(script: string) {
  let bundle: Promise<{ readonly path: string; readonly env: Readonly<Record<string, string>> }> | undefined
  return () => {
    bundle ??= (async () => {
      const folder = mkdtempSync(join(memoryPlace, 'exporter-worker-'))
      process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
      await bundleScript(script, folder, ['pg-native'])
      return { path: join(folder, basename(script).replace(/\.ts$/, '.js')), env: { NODE_COMPILE_CACHE: folder } }
    })()
    return bundle
  }
}
