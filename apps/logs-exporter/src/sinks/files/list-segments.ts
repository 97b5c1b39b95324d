import { join } from 'node:path'
import { hourMs } from '@cdn/kit/time'
import { SinkError } from '../../errors.ts'
import { formatByExtension } from '../../formats/by-extension.ts'
import { contentOf, DamagedError, type FileFormat, type Label, type StoredFile } from '../../formats/index.ts'
import type { Segment, Window } from '../../segments/segment.ts'
import { bySegment, hourName, parseSegmentName, type SegmentId } from '../../segments/segment-name.ts'
import type { Odd } from '../sink.ts'
import type { Disk } from './disk.ts'
import { withSinkErrors } from './failures.ts'

/** Disk and folder of the segments. */
export interface Place {
  readonly disk: Disk
  readonly root: string
}

/** A segment file, with its path below the root. */
export interface SegmentFile extends SegmentId {
  readonly path: string
  readonly format: FileFormat
}

/**
 * Lists the segments of a zone that overlap a range, in order. The name and the folder of a file identify it. Row count, digest and
 * source are read from its label. If its format has no label, the whole file is read.
 *
 * @param odd receives files that are damaged or do not have the name of a segment; if omitted, damage is thrown
 */
export async function* listFileSegments(
  { disk, root }: Place,
  range: Window,
  signal: AbortSignal,
  odd?: Odd,
): AsyncGenerator<Segment, void, void> {
  for (const at of await withSinkErrors(root, () => hoursOf({ disk, root }, range))) {
    signal.throwIfAborted()
    const folder = hourName(range.zone, at)
    const segmentFiles = await withSinkErrors(root, () => filesIn({ disk, root }, folder, odd))
    // The caller relies on listed files, so their names must survive a power failure.
    if (segmentFiles.length > 0) await withSinkErrors(root, () => disk.syncDirectory(join(root, folder)))
    for (const file of segmentFiles) {
      if (file.to <= range.from || file.from >= range.to) continue
      const segment = await segmentOf({ disk, root }, file).catch((error: unknown) => {
        if (!odd || !(error instanceof SinkError) || error.kind !== 'damaged') throw error
        odd(error)
      })
      if (segment) yield segment
    }
  }
}

/** Reads the description of a segment file. @throws SinkError if it is damaged */
export async function segmentOf({ disk, root }: Place, { path, format, ...named }: SegmentFile): Promise<Segment> {
  const { zone, from, to, revision } = named
  return withSinkErrors(join(root, path), async () => {
    const input = await disk.input(join(root, path))
    return { zone, from, to, revision, ...(await labelOf(format, input)), bytes: input.size }
  })
}

/** The zones that have a folder. */
export async function* listZoneFolders({ disk, root }: Place): AsyncGenerator<string, void, void> {
  for (const name of (await withSinkErrors(root, () => disk.list(root))).sort()) {
    const zone = /^zone=(\d{1,19})$/.exec(name)?.[1]
    if (zone) yield zone
  }
}

/** The segments in the folder of an hour, in order; other files are skipped. */
export async function filesIn({ disk, root }: Place, folder: string, odd?: Odd): Promise<SegmentFile[]> {
  const list: SegmentFile[] = []
  for (const name of await disk.list(join(root, folder))) {
    const path = `${folder}/${name}`
    const named = parseSegmentName(path)
    const format = named && (await formatByExtension(named.extension))
    if (named && format) list.push({ ...named, path, format })
    else odd?.(new SinkError('damaged', `The file ${join(root, path)} does not have the name of a segment.`))
  }
  return list.sort(bySegment)
}

/** The label of a file. If the format has no label, it is computed from the rows. */
async function labelOf(format: FileFormat, input: StoredFile): Promise<Label> {
  if (format.label) return format.label(input)
  let source: Label['source'] | undefined
  async function* lines(): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of format.decode(input)) {
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

/** The hours that overlap a range and have a folder in the zone, ascending. A window never spans two hours. */
async function hoursOf({ disk, root }: Place, { zone, from, to }: Window): Promise<number[]> {
  const folder = join(root, `zone=${zone}`)
  const touches = (start: number, length: number) => start < to && start + length > from
  const hours: number[] = []
  for (const date of (await disk.list(folder)).sort()) {
    const midnight = Date.parse(`${/^date=(.+)$/.exec(date)?.[1]}T00:00:00Z`)
    if (!touches(midnight, 24 * hourMs)) continue
    for (const name of (await disk.list(join(folder, date))).sort()) {
      const start = midnight + Number(/^hour=(\d\d)$/.exec(name)?.[1]) * hourMs
      if (touches(start, hourMs)) hours.push(start)
    }
  }
  return hours
}
