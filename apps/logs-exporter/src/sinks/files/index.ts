import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { codeOf } from '@cdn/kit/system-error'
import { dayMs, hourMs } from '@cdn/kit/time'
import { withSystemFailures } from '../../errors.ts'
import { contentOf, type FileFormat, type StoredFile } from '../../formats/format.ts'
import type { Window } from '../../segments/segment.ts'
import { openSegmentSink, type SegmentStore, type UnfinishedFile } from '../segment-files.ts'
import type { Sink } from '../sink.ts'
import { createDirectories, type Disk, disk as machine } from './disk.ts'

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

/** Folder of unfinished files. A pattern for segments, such as `zone=*`, does not match its name. */
export const unfinishedFolder = '.tmp'
/** A temporary file that was not modified for this long, in ms, counts as the leftover of a crash. Also the interval of removals. */
const abandonedMs = 15 * 60_000

/**
 * Opens a sink with one file per segment below a folder. A file appears under its name as a whole or not at all, even after a power
 * failure. A file is never overwritten. Not suitable for network file systems, because their `link` and `fsync` promise less.
 */
export function openFilesSink({ path, format, mode = 0o600, disk = machine }: FilesSinkOptions): Sink {
  return openSegmentSink(createFolderStore(disk, path, mode), 'files', format)
}

function createFolderStore(disk: Disk, root: string, mode: number): SegmentStore {
  const guard = <T>(act: () => Promise<T>) =>
    withSystemFailures((why) => `The folder ${root} of the files sink cannot be used: ${why}.`, act)
  const directories = createDirectories(disk, root)
  const temporaryPath = () => join(root, unfinishedFolder, `${randomUUID()}.tmp`)

  /** Unfinished files of this process. The compression may keep the rows of a slow read in memory, so their files look abandoned. */
  const unfinished = new Set<string>()
  let sweptAt = Number.NEGATIVE_INFINITY
  async function removeAbandoned(): Promise<void> {
    if (performance.now() - sweptAt < abandonedMs) return
    sweptAt = performance.now()
    await directories.within(unfinishedFolder, () => sweep(disk, join(root, unfinishedFolder), unfinished))
  }

  async function check(): Promise<void> {
    sweptAt = Number.NEGATIVE_INFINITY
    await removeAbandoned()
    const probe = temporaryPath()
    const file = await disk.create(probe, mode)
    try {
      await file.close()
      const linked = `${probe}.link`
      await disk.link(probe, linked)
      await disk.unlink(linked)
    } finally {
      await disk.unlink(probe)
    }
  }

  async function draft(): Promise<UnfinishedFile> {
    await removeAbandoned()
    const path = temporaryPath()
    const file = await directories.within(unfinishedFolder, () => disk.create(path, mode))
    unfinished.add(path)
    let isOpen = true
    async function close(): Promise<void> {
      if (isOpen) await file.close()
      isOpen = false
    }
    async function create(name: string, signal: AbortSignal): Promise<boolean> {
      await file.sync() // before the file has its name
      await close()
      signal.throwIfAborted()
      return directories.within(dirname(name), () => isLinked(disk, path, join(root, name)))
    }
    return {
      write: (bytes) => guard(() => file.write(bytes)),
      create: (file, signal) => guard(() => create(file.path, signal)),
      async discard() {
        unfinished.delete(path)
        await close()
        await disk.unlink(path).catch(() => {}) // swept later
      },
    }
  }

  async function list(folder: string): Promise<string[]> {
    return (await guard(() => disk.list(join(root, folder)))).map((name) => `${folder}/${name}`)
  }

  async function* hours({ zone, from, to }: Window): AsyncGenerator<string[], void, void> {
    const overlaps = (start: number, length: number) => start < to && start + length > from
    for (const date of (await list(`zone=${zone}`)).sort()) {
      const midnight = Date.parse(`${/\/date=(.+)$/.exec(date)?.[1]}T00:00:00Z`)
      if (!overlaps(midnight, dayMs)) continue
      for (const hour of (await list(date)).sort())
        if (overlaps(midnight + Number(/\/hour=(\d\d)$/.exec(hour)?.[1]) * hourMs, hourMs)) yield await list(hour)
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
    check: () => guard(check),
    draft: () => guard(draft),
    top: () => guard(() => disk.list(root)),
    parallel: 1, // with more, each of 64 zones would hold that many open files
    nameOf: (path) => `The file ${join(root, path)}`,
    hours,
    list,
    sync: (folder) => guard(() => disk.syncDirectory(join(root, folder))),
    async label({ path, format }) {
      const file = await open(path)
      // A format without metadata has its content in the rows only.
      const content = await (format.label ? format.label(file) : contentOf(format.decode(file)))
      return { ...content, bytes: file.size }
    },
    open,
  }
}

async function sweep(disk: Disk, folder: string, unfinished: ReadonlySet<string>): Promise<void> {
  for (const name of await disk.list(folder)) {
    const path = join(folder, name)
    const changedAt = await disk.changedAt(path).catch(() => Number.POSITIVE_INFINITY)
    if (Date.now() - changedAt > abandonedMs && !unfinished.has(path)) await disk.unlink(path).catch(() => {})
  }
}

async function isLinked(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
