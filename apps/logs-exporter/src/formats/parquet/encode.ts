import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { BatchSource } from '../../rows/batch.ts'
import { type ColumnType, columns } from '../../rows/columns.ts'
import { parseTypedRow, type Value } from '../../rows/typed-row.ts'
import { createDigest } from '../digest.ts'
import type { Encoding, WriteBytes } from '../format.ts'
import { keys, schema } from './schema.ts'
import { type StoredGroup, seal, sha256 } from './seal.ts'

/** Bytes of lines per row group. Readers prefer large groups; with many zones, small ones save memory. */
const groupBytes = 8 * 1024 * 1024
const lineFeed = 10
const createdBy = 'cdn-logs-exporter'
const ZSTD = (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })

/**
 * Writes lines as Parquet, one row group at a time. So only one row group is in memory.
 *
 * @param source of the rows, for the footer
 */
export function encode(output: WriteBytes, source: BatchSource): Encoding {
  const digest = createDigest()
  const bytes = createWriter(output)
  const writer = new ParquetWriter({ writer: bytes, schema, codec: 'ZSTD', compressors: { ZSTD }, createdBy })
  let waiting: Uint8Array[] = []
  let size = 0

  async function writeGroups(minBytes: number): Promise<void> {
    let rest = Buffer.concat(waiting)
    while (rest.length >= minBytes && rest.length > 0) {
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
  const series = columns.map(({ name, type }) => {
    const data: Value[] = []
    return { name, data, statistics: hasRange(type) }
  })
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const row = parseTypedRow(text.slice(start, end))
    for (const [n, { data }] of series.entries()) data.push(row[n] ?? null)
    start = end + 1
  }
  return series
}

/** Whether to write minimum and maximum, which let readers skip row groups. For texts they cost more than they save. */
const hasRange = (type: ColumnType) => type !== 'string' && type !== 'json'

/** A buffer that passes its bytes to the output after each row group. It seals the file at the end. */
function createWriter(output: WriteBytes) {
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
