import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { codeOf } from '../../errors.ts'
import type { Content, FileFormat } from '../../formats/index.ts'
import type { BatchSource } from '../../rows/batch.ts'
import type { Segment } from '../../segments/segment.ts'
import { type SegmentId, segmentName } from '../../segments/segment-name.ts'
import { refuseOverlap } from '../overlap.ts'
import type { Published, SegmentWriter } from '../sink.ts'
import type { Directories } from './directories.ts'
import type { Disk } from './disk.ts'
import { withSinkErrors } from './failures.ts'
import { filesIn, type Place, type SegmentFile, segmentOf } from './list-segments.ts'

/** Folder of unfinished files. Consumers of the sink's folder do not match its name. */
export const temporary = '.tmp'
/** A temporary file that was not modified for this long, in ms, counts as the leftover of a crash. */
const abandoned = 3_600_000

export interface WritePlace extends Place {
  readonly directories: Directories
  readonly format: FileFormat
  readonly mode: number
}

/**
 * Writes a segment under a temporary name. `publish` has three steps: fsync the file; `link()` it to its final name, which fails
 * if another writer was first; fsync every new directory and the directory that holds the name.
 */
export async function beginFileSegment(
  { disk, directories, root, format, mode }: WritePlace,
  named: SegmentId,
  source: BatchSource,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const path = join(root, temporary, `${randomUUID()}.tmp`)
  const file = await directories.within(temporary, () => disk.create(path, mode))
  let isOpen = true
  let bytes = 0
  const encoding = format.encode(async (piece) => {
    bytes += piece.length
    await file.write(piece)
  }, source)

  async function close(): Promise<void> {
    if (isOpen) await file.close()
    isOpen = false
  }

  async function publish(): Promise<Published> {
    const content = await encoding.end()
    await file.sync()
    await close()
    signal.throwIfAborted()
    const name = segmentName(named, format.extension)
    const isFirst = await directories.within(
      dirname(name),
      async () => !(await firstOf({ disk, root }, named)) && (await link(disk, path, join(root, name))),
    )
    await disk.unlink(path)
    await disk.syncDirectory(join(root, dirname(name)))
    const ours: Segment = { ...named, source, ...content, bytes }
    return isFirst ? { outcome: 'published', segment: ours } : compare({ disk, root }, named, content)
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

/** The existing file for a window and revision, in any format. */
async function firstOf(place: Place, named: SegmentId): Promise<SegmentFile | undefined> {
  const { from, to, revision } = named
  const files = await filesIn(place, dirname(segmentName(named, '')))
  refuseOverlap(named, files)
  return files.find((file) => file.from === from && file.to === to && file.revision === revision)
}

/** Compares the existing file under this name with the content to publish. */
async function compare(place: Place, named: SegmentId, ours: Content): Promise<Published> {
  const first = await firstOf(place, named)
  if (!first) throw new Error('A segment disappeared while it was compared')
  const segment = await segmentOf(place, first)
  return { outcome: segment.sha256 === ours.sha256 ? 'published' : 'lost', segment }
}
