import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type ColumnType, columns } from '../../rows/columns.ts'
import type { Source } from '../../rows/encoder.ts'
import { parseLine, type Value } from '../../rows/typed-row.ts'
import { createDigest } from '../digest.ts'
import type { Encoding, Output } from '../format.ts'
import { keys, schema } from './schema.ts'
import { type StoredGroup, seal, sha256 } from './seal.ts'

/** Lines of a row group, in bytes: they wait in memory until it is full. Readers like them large, a fleet of zones small. */
const groupBytes = 8 * 1024 * 1024
const lineFeed = 10
const createdBy = 'cdn-logs-exporter'
const ZSTD = (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })

/**
 * Writes lines as Parquet, a row group at a time, so that memory is bounded by a row group.
 *
 * @param source of the rows, for the footer
 */
export function encode(output: Output, source: Source): Encoding {
  const digest = createDigest()
  const bytes = createWriter(output)
  const writer = new ParquetWriter({ writer: bytes, schema, codec: 'ZSTD', compressors: { ZSTD }, createdBy })
  let waiting: Uint8Array[] = []
  let size = 0

  async function writeGroups(least: number): Promise<void> {
    let rest = Buffer.concat(waiting)
    while (rest.length >= least && rest.length > 0) {
      const end = rest.indexOf(lineFeed, Math.min(groupBytes, rest.length) - 1) + 1
      await writer.write({
        columnData: toColumns(rest.toString('utf8', 0, end)),
        rowGroupSize: Number.POSITIVE_INFINITY,
      })
      rest = rest.subarray(end)
    }
    waiting = [Buffer.from(rest)]
    size = rest.length
  }

  return {
    async write(lines) {
      digest.update(lines.bytes, lines.rows)
      waiting.push(lines.bytes)
      size += lines.bytes.length
      if (size >= groupBytes) await writeGroups(groupBytes)
    },
    async end() {
      await writeGroups(0)
      const content = digest.content()
      writer.kvMetadata = [
        { key: keys.rows, value: String(content.rows) },
        { key: keys.sha256, value: content.sha256 },
        { key: keys.source, value: source },
        { key: keys.groups, value: JSON.stringify(bytes.groups) },
      ]
      await writer.finish()
      return content
    },
    abort() {
      waiting = []
    },
  }
}

/** @param text canonical lines, each with its line feed */
function toColumns(text: string) {
  const data: Value[][] = columns.map(() => [])
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const row = parseLine(text.slice(start, end))
    for (let n = 0; n < data.length; n++) data[n]?.push(row[n] ?? null)
    start = end + 1
  }
  return columns.map(({ name, type }, n) => ({ name, data: data[n] ?? [], statistics: hasRange(type) }))
}

/** Smallest and largest let readers pass row groups over; of texts they cost more than they save. */
const hasRange = (type: ColumnType) => type !== 'string' && type !== 'json'

/** A buffer that is handed to the output after each row group, and sealed at the end. */
function createWriter(output: Output) {
  const writer = new ByteWriter()
  const groups: StoredGroup[] = []
  const take = () => {
    const bytes = Buffer.from(writer.getBytes().slice())
    writer.index = 0
    return bytes
  }
  const flush = async () => {
    const bytes = take()
    groups.push({ bytes: bytes.length, sha256: sha256(bytes) })
    await output(bytes)
  }
  return Object.assign(writer, { groups, flush, finish: () => output(seal(take())) })
}
