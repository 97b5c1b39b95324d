import { ndjson } from '../../src/formats/ndjson.ts'
import { type SegmentId, segmentName } from '../../src/segments/segment.ts'
import { openFilesSink } from '../../src/sinks/files/index.ts'
import { createMemoryDisk } from './memory-disk.ts'
import { readDisk } from './read-files.ts'

const [path, extension] = ['/logs', '.ndjson']

/** The files sink on a disk in memory, for simulations. */
export function createMemorySink(disk = createMemoryDisk()) {
  return {
    ...openFilesSink({ path, format: ndjson('none'), disk }),
    exported: (zone: string) => readDisk(disk, zone),
    rows: () => readDisk(disk).reduce((sum, { lines }) => sum + lines.length, 0),
    /** Deletes a segment, as an operator may do. */
    remove: (segment: SegmentId) => void disk.unlink(`${path}/${segmentName(segment, extension)}`),
  }
}
