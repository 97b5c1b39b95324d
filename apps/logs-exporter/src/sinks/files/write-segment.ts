import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { codeOf } from '../../errors.ts'
import type { FileFormat } from '../../formats/format.ts'
import { type NewSegment, segmentName } from '../../segments/segment.ts'
import { compareSegment, findSegment, type SegmentStore } from '../segment-files.ts'
import type { Published, SegmentWriter } from '../sink.ts'
import { type Directories, type Disk, withSinkErrors } from './disk.ts'

/** Folder of unfinished files. Consumers of the sink's folder do not match its name. */
export const temporary = '.tmp'
/** A temporary file that was not modified for this long, in ms, counts as the leftover of a crash. */
const abandoned = 3_600_000

export interface WritePlace {
  readonly disk: Disk
  readonly root: string
  readonly store: SegmentStore
  readonly directories: Directories
  readonly format: FileFormat
  readonly mode: number
}

/**
 * Writes a segment under a temporary name. `publish` has three steps: fsync the file; `link()` it to its final name, which fails
 * if another writer was first; fsync every new directory and the directory that holds the name.
 */
export async function beginFileSegment(
  { disk, directories, store, root, format, mode }: WritePlace,
  segment: NewSegment,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const path = join(root, temporary, `${randomUUID()}.tmp`)
  const file = await directories.within(temporary, () => disk.create(path, mode))
  let isOpen = true
  let bytes = 0
  const encoding = format.encode(async (piece) => {
    bytes += piece.length
    await file.write(piece)
  }, segment.source)

  async function close(): Promise<void> {
    if (isOpen) await file.close()
    isOpen = false
  }

  async function publish(): Promise<Published> {
    const content = await encoding.end()
    await file.sync()
    await close()
    signal.throwIfAborted()
    const name = segmentName(segment, format.extension)
    const first = await directories.within(dirname(name), async () => {
      const existing = await findSegment(store, segment, signal)
      return existing ?? ((await link(disk, path, join(root, name))) ? undefined : { ...segment, path: name, format })
    })
    await disk.unlink(path)
    await disk.syncDirectory(join(root, dirname(name)))
    if (first) return compareSegment(store, first, content, signal)
    return { outcome: 'published', segment: { ...segment, ...content, bytes } }
  }

  return {
    write: (lines) =>
      withSinkErrors(root, () => {
        signal.throwIfAborted()
        return encoding.write(lines)
      }),
    publish: () => withSinkErrors(root, publish),
    async discard() {
      encoding.abort()
      await close()
      await disk.unlink(path).catch(() => {}) // swept later
    },
  }
}

/** Deletes the leftovers of crashes. */
export async function sweep(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.list(folder)) {
    const path = join(folder, name)
    const changedAt = await disk.changedAt(path).catch(() => Number.POSITIVE_INFINITY)
    if (Date.now() - changedAt > abandoned) await disk.unlink(path).catch(() => {})
  }
}

/** Gives a file its final name. @returns false if the name is taken */
async function link(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
