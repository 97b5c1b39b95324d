import { zstdDecompressSync } from 'node:zlib'
import { type AsyncBuffer, type FileMetaData, parquetMetadata, parquetRead } from 'hyparquet'
import { formatLine, type TypedRow } from '../../rows/typed-row.ts'
import { DamagedError, type Label, type StoredFile } from '../format.ts'
import { keys, schema } from './schema.ts'
import { readFooter, readGroup, type StoredGroup } from './seal.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const parsers = {
  timestampFromMilliseconds: Number,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
}
const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }

interface Footer extends Label {
  readonly metadata: FileMetaData
  readonly groups: readonly StoredGroup[]
}

/** The lines of a Parquet file, one piece per row group. Checks the digest of a row group before parsing it. */
export async function* decodeParquet(input: StoredFile): AsyncGenerator<Uint8Array> {
  const { metadata, groups } = await open(input)
  let [start, rowStart] = [0, 0]
  for (const [n, group] of groups.entries()) {
    const bytes = await readGroup(input, start, group)
    const rowEnd = rowStart + Number(metadata.row_groups[n]?.num_rows)
    const rows = await readRows(metadata, { start, bytes, size: input.size }, rowStart, rowEnd)
    yield Buffer.from(rows.map(formatLine).join(''))
    ;[start, rowStart] = [start + group.bytes, rowEnd]
  }
}

/** Reads the label from the footer. */
export async function label(input: StoredFile): Promise<Label> {
  const { rows, sha256, source } = await open(input)
  return { rows, sha256, source }
}

async function open(input: StoredFile): Promise<Footer> {
  const metadata = parquetMetadata(await readFooter(input))
  const entries = new Map(metadata.key_value_metadata?.map(({ key, value }) => [key, value]))
  const [rows, sha256, source, groups] = [keys.rows, keys.sha256, keys.source, keys.groups].map((key) =>
    entries.get(key),
  )
  const isOurs = metadata.schema.map(({ name }) => name).join() === schema.map(({ name }) => name).join()
  if (!isOurs || !rows || !sha256 || !groups || (source !== 'v1' && source !== 'v2'))
    throw new DamagedError('has different columns than the exporter writes')
  // Safe: the digest of the footer shows that the exporter wrote it.
  return { metadata, rows: Number(rows), sha256, source, groups: JSON.parse(groups) as StoredGroup[] }
}

/** Parses the rows of a row group in memory. */
function readRows(
  metadata: FileMetaData,
  { start, bytes, size }: { start: number; bytes: Uint8Array<ArrayBuffer>; size: number },
  rowStart: number,
  rowEnd: number,
): Promise<TypedRow[]> {
  const slice = (from: number, to = size) => bytes.buffer.slice(from - start, to - start)
  const file: AsyncBuffer = { byteLength: size, slice }
  return new Promise((onComplete, reject) => {
    parquetRead({ file, metadata, rowStart, rowEnd, compressors, parsers, onComplete }).catch(reject)
  })
}
