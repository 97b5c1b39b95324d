import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Format } from '../../formats/index.ts'
import type { Sink } from '../sink.ts'
import { createDirectories } from './directories.ts'
import { type Disk, disk as machine } from './disk.ts'
import { told } from './failures.ts'
import { listSegments, listZones } from './list-segments.ts'
import { readSegment } from './read-segment.ts'
import { beginSegment, sweep, temporary } from './write-segment.ts'

export interface FilesSinkOptions {
  /** The folder below which segments are stored; made where it is missing. */
  readonly path: string
  /** What new segments are written as; those of any other are still found and read. */
  readonly format: Format
  /** The machine's file system where absent. */
  readonly disk?: Disk
}

/**
 * A sink of files below a folder, one a segment (§7 of the design). A file stands under its name whole or not at all, after
 * a power failure, too; nothing is ever written over. Not for network file systems, whose `link` and `fsync` promise less.
 */
export function openFilesSink({ path, format, disk = machine }: FilesSinkOptions): Sink {
  const directories = createDirectories(disk, path)
  return {
    name: 'files',
    guarantee: 'exactly-once',
    async check() {
      await told(path, async () => {
        await directories.within(temporary, () => sweep(disk, join(path, temporary)))
        const probe = join(path, temporary, `${randomUUID()}.tmp`)
        const file = await disk.create(probe)
        await file.close()
        const linked = `${probe}.link`
        await disk.link(probe, linked)
        await disk.unlink(linked)
        await disk.unlink(probe)
      })
    },
    begin: (window, revision, source, _epoch, signal) =>
      told(path, () =>
        beginSegment({ disk, directories, root: path, format }, { ...window, revision }, source, signal),
      ),
    segments: (zone, from, to, signal, odd) => listSegments({ disk, root: path }, { zone, from, to }, signal, odd),
    read: (segment, signal) => readSegment({ disk, root: path }, segment, signal),
    zones: () => listZones({ disk, root: path }),
    async close() {},
  }
}
