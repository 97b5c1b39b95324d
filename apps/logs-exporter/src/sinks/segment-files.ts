/** Segments as files of a folder or a bucket, in folders `zone=ID/date=YYYY-MM-DD/hour=HH`. */
import { posix } from 'node:path'
import { DamagedError, SinkError } from '../errors.ts'
import { type Content, type FileFormat, type Label, prove, type StoredFile } from '../formats/format.ts'
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
import { type Odd, type Published, refuseOverlap } from './sink.ts'

/** A file with the name of a segment. Its path is relative to the root of the store. */
export interface SegmentFile extends SegmentId {
  readonly path: string
  readonly format: FileFormat
}

/** A folder or a bucket. Failures are SinkErrors. */
export interface SegmentStore {
  /** Maximum number of labels to read at the same time. */
  readonly parallel: number
  /** The name of a file in messages, such as `The object logs/zone=1/...`. */
  nameOf(path: string): string
  /** The paths of a zone's files: a list per hour, ascending, with at least the hours that overlap the range. */
  hours(range: Window, signal: AbortSignal): AsyncIterable<readonly string[]>
  /** The paths of the files in a folder. */
  list(folder: string, signal: AbortSignal): Promise<readonly string[]>
  /** The description of a segment. @throws DamagedError */
  label(file: SegmentFile, signal: AbortSignal): Promise<Label & Pick<Segment, 'bytes'>>
  /** Opens a file to read it. @param bytes its stored size */
  open(path: string, bytes: number, signal: AbortSignal): Promise<StoredFile>
}

/**
 * Lists the segments of a zone that overlap a range, in order.
 *
 * @param odd receives files that are damaged or do not have the name of a segment; if omitted, damage is thrown
 */
export async function* listSegments(
  store: SegmentStore,
  range: Window,
  signal: AbortSignal,
  odd?: Odd,
): AsyncGenerator<Segment, void, void> {
  for await (const paths of store.hours(range, signal)) {
    signal.throwIfAborted()
    const files = (await toFiles(store, paths, odd)).filter(({ from, to }) => from < range.to && to > range.from)
    for (let at = 0; at < files.length; at += store.parallel) {
      const labels = files.slice(at, at + store.parallel).map((file) => toSegment(store, file, signal))
      for (const label of await Promise.allSettled(labels)) {
        if (label.status === 'fulfilled') yield label.value
        else if (odd && label.reason instanceof SinkError && label.reason.kind === 'damaged') odd(label.reason)
        else throw label.reason
      }
    }
  }
}

/** The lines of a segment. @throws SinkError if its file is missing, or has other content than the segment */
export async function* readSegment(
  store: SegmentStore,
  segment: Segment,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const file = (await filesOfHour(store, segment, signal)).find(isRevision(segment))
  if (!file) {
    const { zone, revision } = segment
    const sentence = `The file of segment r${revision} of zone ${zone}, ${rangeText(segment)}, is missing.`
    throw new SinkError('damaged', sentence)
  }
  try {
    for await (const piece of prove(file.format.decode(await store.open(file.path, segment.bytes, signal)), segment)) {
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
export async function findSegment(
  store: SegmentStore,
  named: SegmentId,
  signal: AbortSignal,
): Promise<SegmentFile | undefined> {
  const files = await filesOfHour(store, named, signal)
  refuseOverlap(named, files)
  return files.find(isRevision(named))
}

/** Compares content with the file that another writer, or an earlier attempt, has published for the same revision. */
export async function compareSegment(
  store: SegmentStore,
  first: SegmentFile,
  ours: Content,
  signal: AbortSignal,
): Promise<Published> {
  const segment = await toSegment(store, first, signal)
  return { outcome: segment.sha256 === ours.sha256 ? 'published' : 'lost', segment }
}

/** The zone of a folder `zone=ID`; undefined for another name. */
export function zoneOfFolder(name: string): string | undefined {
  return /^zone=(\d{1,19})$/.exec(name)?.[1]
}

/** A window lies within an hour, so all files that could overlap it are in the folder of its hour. */
async function filesOfHour(store: SegmentStore, named: SegmentId, signal: AbortSignal): Promise<SegmentFile[]> {
  return toFiles(store, await store.list(posix.dirname(segmentName(named, '')), signal))
}

async function toFiles(store: SegmentStore, paths: readonly string[], odd?: Odd): Promise<SegmentFile[]> {
  const files: SegmentFile[] = []
  for (const path of paths) {
    const named = parseSegmentName(path)
    const format = named && (await formatByExtension(named.extension))
    if (named && format) files.push({ ...named, path, format })
    else odd?.(new SinkError('damaged', `${store.nameOf(path)} does not have the name of a segment.`))
  }
  return files.sort(bySegment)
}

function isRevision({ from, to, revision }: SegmentId): (file: SegmentId) => boolean {
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
