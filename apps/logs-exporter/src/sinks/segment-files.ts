/** Segments as files of a folder or a bucket, in folders `zone=ID/date=YYYY-MM-DD/hour=HH`. */
import { posix } from 'node:path'
import { DamagedError, SinkError } from '../errors.ts'
import { type Content, type FileFormat, type StoredFile, verifyContent } from '../formats/format.ts'
import { formatByExtension } from '../formats/index.ts'
import {
  bySegment,
  parseSegmentName,
  rangeText,
  type Segment,
  type SegmentId,
  segmentName,
  type Window,
} from '../segments/segment.ts'
import { type OnSkipped, type Published, refuseOverlap, type SegmentWriter, type Sink } from './sink.ts'

/** A file with the name of a segment. Its path is relative to the root of the store. */
export interface SegmentFile extends SegmentId {
  readonly path: string
  readonly format: FileFormat
}

/** A file to create: its path, its media type, and the row count and digest to store with it. */
export interface NewFile extends Content, Pick<FileFormat, 'mediaType'> {
  readonly path: string
}

/** A file in progress. Consumers do not see it until it has its name. */
export interface UnfinishedFile {
  write(bytes: Uint8Array): Promise<void>
  /** Gives the written bytes their name, as a whole or not at all. @returns false if the name is taken */
  create(file: NewFile, signal: AbortSignal): Promise<boolean>
  /** Drops the file in progress; may be called twice. A created file stays. */
  discard(): Promise<void>
}

/** A folder or a bucket. Failures are SinkErrors. */
export interface SegmentStore {
  /** Checks whether the store works as configured. */
  check(signal: AbortSignal): Promise<void>
  draft(signal: AbortSignal): Promise<UnfinishedFile>
  /** Called before a file of a zone is created. @throws SinkError (overlap) if another exporter writes the zone, too */
  claim?(zone: string, signal: AbortSignal): Promise<void>
  /** The names of the folders at the top, such as `zone=1`. */
  top(signal: AbortSignal): Promise<readonly string[]>
  /** Maximum number of files whose labels one listing reads at the same time. */
  readonly parallel: number
  /** The name of a file in messages, such as `The object logs/zone=1/...`. */
  nameOf(path: string): string
  /** The paths of a zone's files: one list per hour. The hours are ascending, and include all that overlap the range. */
  hours(range: Window, signal: AbortSignal): AsyncIterable<readonly string[]>
  /** The paths of the files in a folder. */
  list(folder: string, signal: AbortSignal): Promise<readonly string[]>
  /** Makes the names in a folder survive a power failure. */
  sync?(folder: string): Promise<void>
  /** The row count, the digest and the stored size of a segment. @throws DamagedError */
  label(file: SegmentFile, signal: AbortSignal): Promise<Content & Pick<Segment, 'bytes'>>
  /** Opens a file to read it. @param bytes its stored size */
  open(path: string, bytes: number, signal: AbortSignal): Promise<StoredFile>
  close?(): void
}

/**
 * Opens a sink with one file per segment.
 *
 * @param name of the sink in messages
 * @param format of new segments. Segments in other formats are still listed and read
 */
export function openSegmentSink(store: SegmentStore, name: string, format: FileFormat): Sink {
  return {
    name,
    takesValues: format.takesValues,
    check: store.check,
    begin: (segment, signal) => beginSegment(store, format, segment, signal),
    async *list(range, signal) {
      for await (const files of listFiles(store, range, signal)) yield* files
    },
    segments: (range, signal, onSkipped) => listSegments(store, range, signal, onSkipped),
    read: (segment, signal) => readSegment(store, segment, signal),
    async *zones(signal) {
      for (const folder of (await store.top(signal)).toSorted()) {
        const [, zone] = /^zone=(\d{1,19})$/.exec(folder) ?? []
        if (zone) yield zone
      }
    },
    async close() {
      store.close?.()
    },
  }
}

async function beginSegment(
  store: SegmentStore,
  format: FileFormat,
  segment: SegmentId,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const draft = await store.draft(signal)
  let bytes = 0
  const encoding = format.encode(async (piece) => {
    bytes += piece.length
    await draft.write(piece)
  })

  async function publish(): Promise<Published> {
    const content = await encoding.end()
    signal.throwIfAborted()
    await store.claim?.(segment.zone, signal)
    const path = segmentName(segment, format.extension)
    const { mediaType } = format
    const existing = await findSegment(store, segment, signal)
    const isFirst = !existing && (await draft.create({ path, mediaType, ...content }, signal))
    await store.sync?.(posix.dirname(path))
    if (isFirst) return { outcome: 'published', segment: { ...segment, ...content, bytes } }
    // Another writer, or an earlier attempt of this one, has published the revision.
    const published = await toSegment(store, existing ?? { ...segment, path, format }, signal)
    return { outcome: published.sha256 === content.sha256 ? 'published' : 'conflict', segment: published }
  }

  return {
    async write(lines) {
      signal.throwIfAborted()
      await encoding.write(lines)
    },
    publish: () => publish().finally(draft.discard),
    async discard() {
      encoding.abort()
      await draft.discard()
    },
  }
}

/** The segments of a zone that overlap a range, in lists of an hour. @param onSkipped receives files with other names */
async function* listFiles(
  store: SegmentStore,
  range: Window,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): AsyncGenerator<SegmentFile[], void, void> {
  for await (const paths of store.hours(range, signal)) {
    signal.throwIfAborted()
    // The caller relies on listed files, so their names must survive a power failure.
    if (paths[0] !== undefined) await store.sync?.(posix.dirname(paths[0]))
    yield (await toFiles(store, paths, onSkipped)).filter(({ from, to }) => from < range.to && to > range.from)
  }
}

/** @param onSkipped receives files that are damaged or do not have the name of a segment; if omitted, damage is thrown */
async function* listSegments(
  store: SegmentStore,
  range: Window,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): AsyncGenerator<Segment, void, void> {
  for await (const files of listFiles(store, range, signal, onSkipped)) {
    for (let at = 0; at < files.length; at += store.parallel) {
      const labels = files.slice(at, at + store.parallel).map((file) => toSegment(store, file, signal))
      for (const label of await Promise.allSettled(labels)) {
        if (label.status === 'fulfilled') yield label.value
        else if (onSkipped && label.reason instanceof SinkError && label.reason.kind === 'damaged')
          onSkipped(label.reason)
        else throw label.reason
      }
    }
  }
}

async function* readSegment(
  store: SegmentStore,
  segment: Segment,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const file = (await filesOfHour(store, segment, signal)).find(hasIdOf(segment))
  if (!file) {
    const { zone, revision } = segment
    const sentence = `The file of segment r${revision} of zone ${zone}, ${rangeText(segment)}, is missing.`
    throw new SinkError('damaged', sentence)
  }
  try {
    for await (const piece of verifyContent(
      file.format.decode(await store.open(file.path, segment.bytes, signal)),
      segment,
    )) {
      signal.throwIfAborted()
      yield piece
    }
  } catch (error) {
    throw toDamage(store, file.path, error)
  }
}

/**
 * Finds the file of a window and revision. It may have any format, because the configuration may have changed.
 *
 * @throws SinkError (overlap) if a file of another window overlaps it
 */
async function findSegment(
  store: SegmentStore,
  named: SegmentId,
  signal: AbortSignal,
): Promise<SegmentFile | undefined> {
  const files = await filesOfHour(store, named, signal)
  refuseOverlap(named, files)
  return files.find(hasIdOf(named))
}

/** A window lies within an hour, so all files that could overlap it are in the folder of its hour. */
async function filesOfHour(store: SegmentStore, named: SegmentId, signal: AbortSignal): Promise<SegmentFile[]> {
  return toFiles(store, await store.list(posix.dirname(segmentName(named, '')), signal))
}

async function toFiles(store: SegmentStore, paths: readonly string[], onSkipped?: OnSkipped): Promise<SegmentFile[]> {
  const files: SegmentFile[] = []
  for (const path of paths) {
    const named = parseSegmentName(path)
    const format = named && (await formatByExtension(named.extension))
    if (named && format) files.push({ ...named, path, format })
    else onSkipped?.(new SinkError('damaged', `${store.nameOf(path)} does not have the name of a segment.`))
  }
  return files.sort(bySegment)
}

function hasIdOf({ from, to, revision }: SegmentId): (file: SegmentId) => boolean {
  return (file) => file.from === from && file.to === to && file.revision === revision
}

async function toSegment(store: SegmentStore, file: SegmentFile, signal: AbortSignal): Promise<Segment> {
  const { path, zone, from, to, revision } = file
  try {
    return { zone, from, to, revision, ...(await store.label(file, signal)) }
  } catch (error) {
    throw toDamage(store, path, error)
  }
}

function toDamage(store: SegmentStore, path: string, error: unknown): unknown {
  if (!(error instanceof DamagedError)) return error
  return new SinkError('damaged', `${store.nameOf(path)} ${error.message}.`, { cause: error })
}
