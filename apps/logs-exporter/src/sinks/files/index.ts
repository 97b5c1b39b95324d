import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { dayMs, hourMs } from '@cdn/kit/time'
import { DamagedError } from '../../errors.ts'
import { contentOf, type FileFormat, type Label, type StoredFile } from '../../formats/format.ts'
import type { Window } from '../../segments/segment.ts'
import { listSegments, readSegment, type SegmentStore, zoneOfFolder } from '../segment-files.ts'
import type { Sink } from '../sink.ts'
import { createDirectories, type Disk, disk as machine, withSinkErrors } from './disk.ts'
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
  const place = { disk, directories, store, root: path, format, mode }
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
    begin: (segment, signal) => withSinkErrors(path, () => beginFileSegment(place, segment, signal)),
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

/** A folder as a store of segments. */
function createFolderStore(disk: Disk, root: string): SegmentStore {
  const guard = <T>(act: () => Promise<T>) => withSinkErrors(root, act)
  async function list(folder: string): Promise<string[]> {
    return (await guard(() => disk.list(join(root, folder)))).map((name) => `${folder}/${name}`)
  }

  async function* hours({ zone, from, to }: Window): AsyncGenerator<string[], void, void> {
    const overlaps = (start: number, length: number) => start < to && start + length > from
    for (const date of (await list(`zone=${zone}`)).sort()) {
      const midnight = Date.parse(`${/\/date=(.+)$/.exec(date)?.[1]}T00:00:00Z`)
      if (!overlaps(midnight, dayMs)) continue
      for (const hour of (await list(date)).sort()) {
        if (!overlaps(midnight + Number(/\/hour=(\d\d)$/.exec(hour)?.[1]) * hourMs, hourMs)) continue
        const paths = await list(hour)
        // The caller relies on listed files, so their names must survive a power failure.
        if (paths.length > 0) await guard(() => disk.syncDirectory(join(root, hour)))
        yield paths
      }
    }
  }

  async function* stream(file: StoredFile): AsyncGenerator<Uint8Array, void, void> {
    const pieces = file.stream()[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await guard(() => pieces.next())
        if (done) return
        yield value
      }
    } finally {
      await pieces.return?.()
    }
  }
  async function open(path: string): Promise<StoredFile> {
    const file = await guard(() => disk.input(join(root, path)))
    return { size: file.size, stream: () => stream(file), slice: (from, to) => guard(() => file.slice(from, to)) }
  }

  return {
    parallel: 1, // with more, each of 64 zones would hold that many open files
    nameOf: (path) => `The file ${join(root, path)}`,
    hours,
    list,
    async label({ path, format }) {
      const file = await open(path)
      return { ...(await labelOf(format, file)), bytes: file.size }
    },
    open,
  }
}

/** If the format has no label, it is computed from the rows. */
async function labelOf(format: FileFormat, file: StoredFile): Promise<Label> {
  if (format.label) return format.label(file)
  let source: Label['source'] | undefined
  async function* lines(): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of format.decode(file)) {
      // All rows of a segment have the same source, so the first row is enough.
      source ??= sourceOf(piece.subarray(0, piece.indexOf(10)))
      yield piece
    }
  }
  const content = await contentOf(lines())
  return { ...content, source: source ?? 'v2' }
}

function sourceOf(line: Uint8Array): Label['source'] {
  try {
    return JSON.parse(Buffer.from(line).toString()).source === 'v1' ? 'v1' : 'v2'
  } catch (cause) {
    throw new DamagedError('its first line is not valid JSON', { cause })
  }
}
