import { join } from 'node:path'
import { dayMs, hourMs } from '@cdn/kit/time'
import { DamagedError, withSystemFailures } from '../../errors.ts'
import { contentOf, type FileFormat, type Label, type StoredFile } from '../../formats/format.ts'
import type { Window } from '../../segments/segment.ts'
import type { SegmentStore } from '../segment-files.ts'
import type { Disk } from './disk.ts'

/** Runs an operation on the folder of the sink. @throws SinkError for failures of the file system; other errors unchanged */
export function withSinkErrors<T>(root: string, act: () => Promise<T>): Promise<T> {
  return withSystemFailures((why) => `The folder ${root} of the files sink cannot be used: ${why}.`, act)
}

/** A folder as a store of segments. */
export function createFolderStore(disk: Disk, root: string): SegmentStore {
  const guard = <T>(act: () => Promise<T>) => withSinkErrors(root, act)
  async function list(folder: string): Promise<string[]> {
    return (await guard(() => disk.list(join(root, folder)))).map((name) => `${folder}/${name}`)
  }

  async function* hours({ zone, from, to }: Window): AsyncGenerator<string[], void, void> {
    const overlaps = (start: number, length: number) => start < to && start + length > from
    for (const date of (await list(`zone=${zone}`)).sort()) {
      const midnight = Date.parse(`${/\/date=(.+)$/.exec(date)?.[1]}T00:00:00Z`)
      if (!overlaps(midnight, dayMs)) continue
      for (const hour of (await list(date)).sort()) {
        if (!overlaps(midnight + Number(/\/hour=(\d\d)$/.exec(hour)?.[1]) * hourMs, hourMs)) continue
        const paths = await list(hour)
        // The caller relies on listed files, so their names must survive a power failure.
        if (paths.length > 0) await guard(() => disk.syncDirectory(join(root, hour)))
        yield paths
      }
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
    parallel: 1, // with more, each of 64 zones would hold that many open files
    nameOf: (path) => `The file ${join(root, path)}`,
    hours,
    list,
    async label({ path, format }) {
      const file = await open(path)
      return { ...(await labelOf(format, file)), bytes: file.size }
    },
    open,
  }
}

/** If the format has no label, it is computed from the rows. */
async function labelOf(format: FileFormat, file: StoredFile): Promise<Label> {
  if (format.label) return format.label(file)
  let source: Label['source'] | undefined
  async function* lines(): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of format.decode(file)) {
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
