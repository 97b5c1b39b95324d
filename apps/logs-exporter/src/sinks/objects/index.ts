import { posix } from 'node:path'
import { hourMs } from '@cdn/kit/time'
import { SinkError } from '../../errors.ts'
import type { FileFormat, Label } from '../../formats/format.ts'
import { type NewSegment, type Segment, segmentName, type Window } from '../../segments/segment.ts'
import {
  compareSegment,
  findSegment,
  listSegments,
  readSegment,
  type SegmentStore,
  zoneOfFolder,
} from '../segment-files.ts'
import type { Published, SegmentWriter, Sink } from '../sink.ts'
import { openSpool } from '../spool.ts'
import { createMark, smallObject } from './mark.ts'
import { type ObjectStore, openStore, type StoreClient } from './store.ts'

export interface ObjectSinkOptions {
  /** Name of the sink in messages: the type of the configuration. */
  readonly name: string
  /** Prefix of each key. A `/` is appended. May be empty. */
  readonly prefix: string
  /** Format of new segments. Segments in other formats are still listed and read. */
  readonly format: FileFormat
  /** Whether the configuration promises that no other exporter writes, so that a store without conditional PUT is enough. */
  readonly isOneWriter?: boolean
}

/** Stores segments as objects of a store. */
export function openObjectSink(
  client: StoreClient,
  { name, prefix: folder, format, isOneWriter = false }: ObjectSinkOptions,
): Sink {
  const objects = openStore(client)
  const prefix = folder === '' ? '' : `${folder.replace(/^\/+|\/+$/g, '')}/`
  const store = createSegmentStore(objects, prefix)
  const checkMark = isOneWriter ? createMark(objects, prefix) : undefined
  let isChecked = false

  async function check(signal: AbortSignal): Promise<void> {
    await checkStore(objects, prefix, isOneWriter, signal)
    isChecked = true
  }

  /**
   * Collects a segment in a temporary file. One conditional PUT creates the object as a whole or not at all. If the response to the
   * PUT is lost, the store refuses the next attempt. The digest of the existing object then shows whether it is this segment.
   */
  async function begin(segment: NewSegment, signal: AbortSignal): Promise<SegmentWriter> {
    // Test the store before the first write, because a store may ignore conditional PUT and overwrite objects.
    if (!isChecked) await check(signal)
    const spool = await openSpool()
    const encoding = format.encode(spool.write, segment.source)
    async function publish(): Promise<Published> {
      const content = await encoding.end()
      const path = segmentName(segment, format.extension)
      const metadata = { 'cdn-rows': String(content.rows), 'cdn-sha256': content.sha256, 'cdn-source': segment.source }
      const { mediaType } = format
      const object = {
        ...spool.seal(),
        key: `${prefix}${path}`,
        stream: spool.stream,
        mediaType,
        metadata,
        isConditional: checkMark === undefined,
      }
      await checkMark?.(segment.zone, signal)
      const existing = await findSegment(store, segment, signal)
      const isFirst = !existing && (await objects.create(object, signal))
      if (!isFirst) return compareSegment(store, existing ?? { ...segment, path, format }, content, signal)
      return { outcome: 'published', segment: { ...segment, ...content, bytes: object.bytes } }
    }
    return {
      async write(lines) {
        signal.throwIfAborted()
        await encoding.write(lines)
      },
      publish: () => publish().finally(spool.close),
      async discard() {
        encoding.abort()
        await spool.close()
      },
    }
  }

  return {
    name,
    check,
    begin,
    segments: (range, signal, odd) => listSegments(store, range, signal, odd),
    read: (segment, signal) => readSegment(store, segment, signal),
    async *zones(signal) {
      for (const key of await objects.list({ prefix, delimiter: '/' }, signal)) {
        const zone = key.endsWith('/') ? zoneOfFolder(key.slice(prefix.length, -1)) : undefined
        if (zone) yield zone
      }
    },
    async close() {
      objects.close()
    },
  }
}

/** The objects below a prefix as a store of segments. @param prefix empty, or ends with `/` */
function createSegmentStore(objects: ObjectStore, prefix: string): SegmentStore {
  async function list(folder: string, signal: AbortSignal): Promise<string[]> {
    const keys = await objects.list({ prefix: `${prefix}${folder}/` }, signal)
    return keys.map((key) => key.slice(prefix.length))
  }

  /** Uses one listing per day, because there may be thousands of hours. */
  async function* hours(
    { zone, from, to }: Window,
    signal: AbortSignal,
  ): AsyncGenerator<readonly string[], void, void> {
    for (const key of await objects.list({ prefix: `${prefix}zone=${zone}/`, delimiter: '/' }, signal)) {
      const path = key.slice(prefix.length)
      const day = Date.parse(/\/date=(\d{4}-\d\d-\d\d)\/$/.exec(path)?.[1] ?? '')
      if (day >= to || day + 24 * hourMs <= from) continue
      // Other names are not of segments; the caller reports them.
      const paths = path.endsWith('/') ? await list(path.slice(0, -1), signal) : [path]
      yield* Map.groupBy(paths, (each) => posix.dirname(each)).values()
    }
  }

  return {
    parallel: 16,
    nameOf: (path) => `The object ${prefix}${path}`,
    hours,
    list,
    label: ({ path }, signal) => labelOf(objects, `${prefix}${path}`, signal),
    open: async (path, bytes, signal) => objects.open(`${prefix}${path}`, bytes, signal),
  }
}

/** Reads the label of an object. @throws SinkError if the object or its label is missing */
async function labelOf(
  objects: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<Label & Pick<Segment, 'bytes'>> {
  const object = await objects.head(key, signal)
  if (!object) throw new SinkError('damaged', `The object ${key} is missing.`)
  const { 'cdn-rows': rows, 'cdn-sha256': sha256, 'cdn-source': source } = object.metadata
  if (!rows || !sha256 || (source !== 'v1' && source !== 'v2')) {
    throw new SinkError('damaged', `The object ${key} has lost its metadata, or was not written by the exporter.`)
  }
  return { rows: Number(rows), sha256, source, bytes: object.bytes }
}

const probeText = 'Written by cdn-logs-exporter to test whether objects can be created conditionally.\n'

/**
 * Creates one small object twice. The store must refuse the second one. Otherwise a suspended worker could resume and
 * overwrite newer segments. The object stays, so that the exporter needs no permission to delete.
 */
async function checkStore(
  objects: ObjectStore,
  prefix: string,
  isOneWriter: boolean,
  signal: AbortSignal,
): Promise<void> {
  const probe = smallObject(`${prefix}.cdn-logs-exporter-probe`, probeText, !isOneWriter)
  await objects.create(probe, signal)
  if (!isOneWriter && (await objects.create(probe, signal))) {
    throw new SinkError(
      'permanent',
      `${objects.title} ignores conditional PUT (If-None-Match): it overwrote the object ${probe.key}. Use a store or a version that supports it; otherwise two workers could overwrite each other. If only one exporter writes there, set sink.exclusive: one writer.`,
    )
  }
  await objects.list({ prefix, delimiter: '/' }, signal)
  await objects.open(probe.key, probe.bytes, signal).slice(0, 1)
}
