import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Content, Format } from '../../formats/index.ts'
import type { Source } from '../../rows/encoder.ts'
import type { Segment } from '../../segments/segment.ts'
import { type Named, segmentName } from '../../segments/segment-name.ts'
import type { Published, SegmentWriter } from '../sink.ts'
import type { Directories } from './directories.ts'
import { codeOf, type Disk } from './disk.ts'
import { told } from './failures.ts'
import { type Found, filesIn, type Place, segmentOf } from './list-segments.ts'

/** Files are written here, under names that no consumer of the folder matches. */
export const temporary = '.tmp'
/** A temporary file that nobody has written to for so long, in ms, was left behind by a crash. */
const abandoned = 3_600_000

export interface WritePlace extends Place {
  readonly directories: Directories
  readonly format: Format
}

/**
 * Writes a segment under a temporary name. Publishing: fsync of the file, `link()` to its name, which fails where
 * somebody was first, fsync of every directory that is new and of the one that holds the name.
 */
export async function beginSegment(
  { disk, directories, root, format }: WritePlace,
  named: Named,
  source: Source,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const path = join(root, temporary, `${randomUUID()}.tmp`)
  const file = await directories.within(temporary, () => disk.create(path))
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
      told(root, () => {
        signal.throwIfAborted()
        return encoding.write(lines)
      }),
    publish: () => told(root, publish),
    async discard() {
      encoding.abort()
      await close()
      await disk.unlink(path).catch(() => {}) // swept later
    },
  }
}

/** Deletes what crashes have left behind. */
export async function sweep(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.list(folder)) {
    const path = join(folder, name)
    const changedAt = await disk.changedAt(path).catch(() => Number.POSITIVE_INFINITY)
    if (Date.now() - changedAt > abandoned) await disk.unlink(path).catch(() => {})
  }
}

/** Gives a file its name. @returns false where the name is taken */
async function link(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The file that stands already for a window and revision, in whatever format. */
async function firstOf(place: Place, { zone, from, to, revision }: Named): Promise<Found | undefined> {
  const files = await filesIn(place, dirname(segmentName({ zone, from, to, revision }, '')))
  return files.find((file) => file.from === from && file.to === to && file.revision === revision)
}

/** What stands under our name, compared with what we would have put there. */
async function compare(place: Place, named: Named, ours: Content): Promise<Published> {
  const first = await firstOf(place, named)
  if (!first) throw new Error('A segment that was there is gone')
  const segment = await segmentOf(place, first)
  return { outcome: segment.sha256 === ours.sha256 ? 'published' : 'lost', segment }
}
