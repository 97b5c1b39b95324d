import { hash, randomUUID } from 'node:crypto'
import { posix } from 'node:path'
import { hourMs } from '@cdn/kit/time'
import type { SinkConfigOf } from '../../config/config.ts'
import { SinkError } from '../../errors.ts'
import type { FileFormat } from '../../formats/format.ts'
import type { Window } from '../../segments/segment.ts'
import { openSegmentSink, type SegmentStore, type UnfinishedFile } from '../segment-files.ts'
import type { Sink } from '../sink.ts'
import { openTemporaryFile } from '../temporary-file.ts'
import { type NewObject, type ObjectStore, openStore, type StoreClient } from './store.ts'

/**
 * Stores segments as objects of a store.
 *
 * @param format of new segments. Segments in other formats are still listed and read
 */
export function openObjectSink(
  client: StoreClient,
  config: SinkConfigOf<'s3' | 'azure' | 'gcs'>,
  format: FileFormat,
): Sink {
  const prefix = toFolder(config.prefix)
  const isOneWriter = config.type === 's3' && config.exclusive !== undefined
  return openSegmentSink(createSegmentStore(openStore(client), prefix, isOneWriter), config.type, format)
}

/** A prefix of the configuration as a folder: empty, or without a slash at its start and with a slash at its end. */
function toFolder(prefix: string): string {
  return prefix === '' ? '' : `${prefix.replace(/^\/+|\/+$/g, '')}/`
}

/** The key of the object that a check leaves in a store. @param prefix of the configuration */
export function probeKey(prefix: string): string {
  return `${toFolder(prefix)}.cdn-logs-exporter-probe`
}

/** The objects below a prefix as a store of segments. @param prefix empty, or ends with `/` */
function createSegmentStore(objects: ObjectStore, prefix: string, isOneWriter: boolean): SegmentStore {
  const isConditional = !isOneWriter
  let isChecked = false
  /**
   * Creates a small object. Unless the configuration declares a single writer, creates it again, which the store must refuse:
   * otherwise a suspended worker could resume and overwrite newer segments. The object stays, so that the exporter needs no
   * permission to delete.
   */
  async function check(signal: AbortSignal): Promise<void> {
    const probe = smallObject(probeKey(prefix), probeText, isConditional)
    await objects.create(probe, signal)
    if (isConditional && (await objects.create(probe, signal))) {
      throw new SinkError(
        'permanent',
        `${objects.title} ignores conditional PUT (If-None-Match): it overwrote the object ${probe.key}. Use a store or a version that supports it; otherwise two workers could overwrite each other. If only one exporter writes there, set sink.exclusive: one writer.`,
      )
    }
    await objects.list({ prefix, delimiter: '/' }, signal)
    await objects.open(probe.key, probe.bytes, signal).slice(0, 1)
    isChecked = true
  }

  /**
   * Collects a segment in a temporary file. One conditional PUT creates the object as a whole or not at all. If the response to the
   * PUT is lost, the store refuses the next attempt. The digest of the existing object then shows whether it is this segment.
   */
  async function draft(signal: AbortSignal): Promise<UnfinishedFile> {
    // Test the store before the first write, because a store may ignore conditional PUT and overwrite objects.
    if (!isChecked) await check(signal)
    const file = await openTemporaryFile()
    return {
      write: file.write,
      create({ path, mediaType, rows, sha256 }, signal) {
        const metadata = { 'cdn-rows': String(rows), 'cdn-sha256': sha256 }
        const { stream } = file
        return objects.create(
          { ...file.seal(), key: `${prefix}${path}`, stream, mediaType, metadata, isConditional },
          signal,
        )
      },
      discard: file.close,
    }
  }

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
      // Other names do not belong to segments; the caller reports them.
      const paths = path.endsWith('/') ? await list(path.slice(0, -1), signal) : [path]
      yield* Map.groupBy(paths, (each) => posix.dirname(each)).values()
    }
  }

  return {
    check,
    draft,
    ...(isOneWriter && { claim: createMark(objects, prefix) }),
    async top(signal) {
      const keys = await objects.list({ prefix, delimiter: '/' }, signal)
      return keys.filter((key) => key.endsWith('/')).map((key) => key.slice(prefix.length, -1))
    },
    parallel: 16,
    nameOf: (path) => `The object ${prefix}${path}`,
    hours,
    list,
    async label({ path }, signal) {
      const key = `${prefix}${path}`
      const object = await objects.head(key, signal)
      if (!object) throw new SinkError('damaged', `The object ${key} is missing.`)
      const { 'cdn-rows': rows, 'cdn-sha256': sha256 } = object.metadata
      if (!rows || !sha256)
        throw new SinkError('damaged', `The object ${key} has lost its metadata, or was not written by the exporter.`)
      return { rows: Number(rows), sha256, bytes: object.bytes }
    },
    open: async (path, bytes, signal) => objects.open(`${prefix}${path}`, bytes, signal),
    close: objects.close,
  }
}

const probeText = 'Written by cdn-logs-exporter to test whether objects can be created conditionally.\n'

/** Length of a mark: a UUID. */
const markBytes = 36

/**
 * Creates a check whether another exporter writes a zone, for stores without conditional PUT. An object per zone (the mark) names the
 * process that wrote last. A process that finds the mark of another process replaces it and reports an overlap; the other process
 * detects this at its next window. The first foreign mark of a zone is no overlap, because it may be from before a restart.
 *
 * @returns a function that throws a SinkError (overlap) if another process has written the zone since the last call
 */
function createMark(objects: ObjectStore, prefix: string): (zone: string, signal: AbortSignal) => Promise<void> {
  const own = randomUUID()
  const known = new Set<string>()
  /** Zones with another writer that is not reported yet: the response to the own mark may be lost. */
  const contested = new Set<string>()
  return async (zone, signal) => {
    const key = `${prefix}.cdn-logs-exporter-writers/${zone}`
    const writer =
      (await objects.head(key, signal)) &&
      Buffer.from(await objects.open(key, markBytes, signal).slice(0, markBytes)).toString()
    if (writer !== own) {
      if (known.has(zone)) contested.add(zone)
      await objects.create(smallObject(key, own, false), signal)
    }
    known.add(zone)
    if (contested.delete(zone))
      throw new SinkError(
        'overlap',
        `Another exporter writes zone ${zone} to ${objects.title}, which cannot refuse one of the two (sink.exclusive: one writer): stop one of them, and run verify.`,
      )
  }
}

function smallObject(key: string, text: string, isConditional: boolean): NewObject {
  const bytes = Buffer.from(text)
  const stream = async function* () {
    yield bytes
  }
  return {
    key,
    bytes: bytes.length,
    sha256: hash('sha256', bytes),
    mediaType: 'text/plain',
    metadata: {},
    isConditional,
    stream,
  }
}
