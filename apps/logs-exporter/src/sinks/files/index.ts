import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { FileFormat } from '../../formats/format.ts'
import { listSegments, readSegment, zoneOfFolder } from '../segment-files.ts'
import type { Sink } from '../sink.ts'
import { createDirectories, type Disk, disk as machine } from './disk.ts'
import { createFolderStore, withSinkErrors } from './folder.ts'
import { beginFileSegment, sweep, temporary } from './write-segment.ts'

export interface FilesSinkOptions {
  /** Folder of the segments; created if needed. */
  readonly path: string
  /** Format of new segments. Segments in other formats are still listed and read. */
  readonly format: FileFormat
  /** Permissions of segment files, less the process's umask. Rows concern visitors, so the default is 0600. */
  readonly mode?: number | undefined
  /** The machine's file system by default. */
  readonly disk?: Disk
}

/**
 * Opens a sink with one file per segment below a folder. A file appears under its name as a whole or not at all, even after a power
 * failure. A file is never overwritten. Not suitable for network file systems, because their `link` and `fsync` promise less.
 */
export function openFilesSink({ path, format, mode = 0o600, disk = machine }: FilesSinkOptions): Sink {
  const directories = createDirectories(disk, path)
  const store = createFolderStore(disk, path)
  return {
    name: 'files',
    async check() {
      await withSinkErrors(path, async () => {
        await directories.within(temporary, () => sweep(disk, join(path, temporary)))
        const probe = join(path, temporary, `${randomUUID()}.tmp`)
        const file = await disk.create(probe, mode)
        await file.close()
        const linked = `${probe}.link`
        await disk.link(probe, linked)
        await disk.unlink(linked)
        await disk.unlink(probe)
      })
    },
    begin: (window, revision, source, signal) =>
      withSinkErrors(path, () =>
        beginFileSegment(
          { disk, directories, store, root: path, format, mode },
          { ...window, revision },
          source,
          signal,
        ),
      ),
    segments: (range, signal, odd) => listSegments(store, range, signal, odd),
    read: (segment, signal) => readSegment(store, segment, signal),
    async *zones() {
      for (const name of (await withSinkErrors(path, () => disk.list(path))).sort()) {
        const zone = zoneOfFolder(name)
        if (zone) yield zone
      }
    },
    async close() {},
  }
}
