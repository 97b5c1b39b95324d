import { join } from 'node:path'
import { formatByExtension } from '../../formats/by-extension.ts'
import { contentOf, DamagedError, type Format, type Input, type Label } from '../../formats/index.ts'
import type { Segment, Window } from '../../segments/segment.ts'
import { bySegment, hourName, type Named, parseSegmentName } from '../../segments/segment-name.ts'
import type { Odd } from '../sink.ts'
import { SinkError } from '../sink-error.ts'
import type { Disk } from './disk.ts'
import { told } from './failures.ts'

/** Where segments are looked for. */
export interface Place {
  readonly disk: Disk
  readonly root: string
}

/** A file of a segment, below the root. */
export interface Found extends Named {
  readonly path: string
  readonly format: Format
}

const hour = 3_600_000

/**
 * Segments of a zone that touch `[from, to)`, in order. Name and place say what a file is; rows, digest and source come from
 * reading it, where its format has no label.
 *
 * @param odd hears of files that are damaged or have the name of no segment; where it is absent, damage is thrown
 */
export async function* listSegments(
  { disk, root }: Place,
  { zone, from, to }: Window,
  signal: AbortSignal,
  odd?: Odd,
): AsyncGenerator<Segment, void, void> {
  for (const at of await told(root, () => hoursOf(disk, root, zone, from, to))) {
    signal.throwIfAborted()
    const folder = hourName(zone, at)
    const found = await told(root, () => filesIn({ disk, root }, folder, odd))
    // Whoever relies on what is listed must find it again after a power failure.
    if (found.length > 0) await told(root, () => disk.syncDirectory(join(root, folder)))
    for (const file of found) {
      if (file.to <= from || file.from >= to) continue
      const segment = await segmentOf({ disk, root }, file).catch((error: unknown) => {
        if (!odd || !(error instanceof SinkError) || error.kind !== 'damaged') throw error
        odd(error)
      })
      if (segment) yield segment
    }
  }
}

/** What a file holds. @throws SinkError where it is damaged */
export async function segmentOf({ disk, root }: Place, { path, format, ...named }: Found): Promise<Segment> {
  const { zone, from, to, revision } = named
  return told(join(root, path), async () => {
    const input = await disk.input(join(root, path))
    return { zone, from, to, revision, ...(await labelOf(format, input)), bytes: input.size }
  })
}

/** Zones that have a folder. */
export async function* listZones({ disk, root }: Place): AsyncGenerator<string, void, void> {
  for (const name of (await told(root, () => disk.list(root))).sort()) {
    const zone = /^zone=(\d{1,19})$/.exec(name)?.[1]
    if (zone) yield zone
  }
}

/** The segments in a folder of an hour, in order; other files are passed over. */
export async function filesIn({ disk, root }: Place, folder: string, odd?: Odd): Promise<Found[]> {
  const found: Found[] = []
  for (const name of await disk.list(join(root, folder))) {
    const path = `${folder}/${name}`
    const named = parseSegmentName(path)
    const format = named && (await formatByExtension(named.extension))
    if (named && format) found.push({ ...named, path, format })
    else odd?.(new SinkError('damaged', `The file ${join(root, path)} has the name of no segment.`))
  }
  return found.sort(bySegment)
}

/** What a file says of its rows, or what reading it shows. */
async function labelOf(format: Format, input: Input): Promise<Label> {
  if (format.label) return format.label(input)
  let source: Label['source'] | undefined
  async function* lines(): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of format.decode(input)) {
      // All rows of a segment have the source of its first.
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
    throw new DamagedError('its first line is no JSON', { cause })
  }
}

/** The hours of a zone that have a folder and touch `[from, to)`, ascending; windows do not reach over the end of one. */
async function hoursOf(disk: Disk, root: string, zone: string, from: number, to: number): Promise<number[]> {
  const folder = join(root, `zone=${zone}`)
  const touches = (start: number, length: number) => start < to && start + length > from
  const hours: number[] = []
  for (const date of (await disk.list(folder)).sort()) {
    const midnight = Date.parse(`${/^date=(.+)$/.exec(date)?.[1]}T00:00:00Z`)
    if (!touches(midnight, 24 * hour)) continue
    for (const name of (await disk.list(join(folder, date))).sort()) {
      const start = midnight + Number(/^hour=(\d\d)$/.exec(name)?.[1]) * hour
      if (touches(start, hour)) hours.push(start)
    }
  }
  return hours
}
