import { hash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type AsyncBuffer, type FileMetaData, parquetMetadata, parquetRead, type SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { DamagedError } from '../errors.ts'
import { type ColumnValue, columnsOf } from '../rows/column-values.ts'
import { type ColumnType, columns, extra, formatLine, type RowColumn, type TypedRow } from '../rows/columns.ts'
import {
  type Content,
  createDigest,
  type Encoding,
  type FileFormat,
  linesOf,
  type StoredFile,
  type WriteBytes,
} from './format.ts'
import { zstd } from './ndjson.ts'

/** Typed columns in row groups. Node's zstd compresses them. */
export const parquet: FileFormat = {
  extension: '.parquet',
  mediaType: 'application/vnd.apache.parquet',
  takesValues: true,
  encode,
  decode: decodeParquet,
  label,
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const parsers = {
  timestampFromMilliseconds: Number,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
}
const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }

async function* decodeParquet(input: StoredFile): AsyncGenerator<Uint8Array> {
  const { metadata, fields, groups } = await open(input)
  let [start, rowStart] = [0, 0]
  for (const [n, group] of groups.entries()) {
    const bytes = await readGroup(input, start, group)
    const rowEnd = rowStart + Number(metadata.row_groups[n]?.num_rows)
    const rows = await readRows(metadata, { start, bytes, size: input.size }, rowStart, rowEnd)
    yield Buffer.from(rows.map((row) => formatLine(row, fields)).join(''))
    ;[start, rowStart] = [start + group.bytes, rowEnd]
  }
}

export async function label(input: StoredFile): Promise<Content> {
  return (await open(input)).label
}

async function open(input: StoredFile) {
  const metadata = parquetMetadata(await readFooter(input))
  const entries = new Map(metadata.key_value_metadata?.map(({ key, value }) => [key, value]))
  const [rows, sha256, groups] = [keys.rows, keys.sha256, keys.groups].map((key) => entries.get(key))
  const fields = fieldsOf(metadata.schema)
  if (!fields || !rows || !sha256 || !groups) throw new DamagedError('has different columns than the exporter writes')
  // Safe: the digest of the footer shows that the exporter wrote it.
  const label: Content = { rows: Number(rows), sha256 }
  return { label, metadata, fields, groups: JSON.parse(groups) as StoredGroup[] }
}

/**
 * The columns of a file before `extra`. The contract may have had other fields when the file was written.
 *
 * @returns undefined if the exporter does not write such columns, or writes one of them with another type
 */
function fieldsOf([, ...elements]: readonly SchemaElement[]): RowColumn[] | undefined {
  const all = elements.map((element) => {
    const known = columns.find(({ name }) => name === element.name)
    const type = (known ? [known.type] : columnTypes).find((each) => isOfType(element, each))
    return type && { name: element.name, type, nullable: element.repetition_type !== 'REQUIRED' }
  })
  const fields = all.slice(0, -2).filter((column) => column !== undefined)
  const ends = [elements[0], ...elements.slice(-2)].map((element) => element?.name)
  return all.includes(undefined) || `${ends}` !== `timestamp,${extra},source` ? undefined : fields
}

function isOfType(element: SchemaElement, type: ColumnType): boolean {
  return element.type === types[type].type && element.converted_type === types[type].converted_type
}

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

/** Maximum length of the lines of a row group, in bytes, unless one page is longer. Readers prefer large groups; with many zones, small ones save memory. */
const groupBytes = 8 * 1024 * 1024
const createdBy = 'cdn-logs-exporter'
const ZSTD = (bytes: Uint8Array) => zstdCompressSync(bytes, { params: zstd })

/** Writes rows as Parquet, one row group at a time. So only one row group is in memory. */
export function encode(output: WriteBytes): Encoding {
  const digest = createDigest()
  const bytes = createWriter(output)
  const writer = new ParquetWriter({ writer: bytes, schema, codec: 'ZSTD', compressors: { ZSTD }, createdBy })
  let series = emptySeries()
  let size = 0

  async function writeGroup(): Promise<void> {
    await writer.write({ columnData: series, rowGroupSize: Number.POSITIVE_INFINITY })
    series = emptySeries()
    size = 0
  }

  return {
    async write({ bytes, rows, columns = columnsOf(linesOf(Buffer.from(bytes).toString())) }) {
      if (size + bytes.length > groupBytes && size > 0) await writeGroup()
      digest.update(bytes, rows)
      for (const [n, { data }] of series.entries()) for (const value of columns[n] ?? []) data.push(value)
      size += bytes.length
    },
    async end() {
      if (size > 0) await writeGroup()
      const content = digest.content()
      writer.kvMetadata = [
        { key: keys.rows, value: String(content.rows) },
        { key: keys.sha256, value: content.sha256 },
        { key: keys.groups, value: JSON.stringify(bytes.groups) },
      ]
      await writer.finish()
      return content
    },
    abort() {
      series = emptySeries()
    },
  }
}

/** Minimum and maximum let readers skip row groups. Rows are ordered by time only, so the statistics of other columns would cost more than they save. */
function emptySeries() {
  return columns.map(({ name, type }) => ({
    name,
    columnType: type,
    data: [] as ColumnValue[],
    statistics: type === 'timestamp',
  }))
}

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
    groups.push({ bytes: bytes.length, sha256: hash('sha256', bytes) })
    await output(bytes)
  }
  return Object.assign(writer, { groups, flush, finish: () => output(addDigest(take())) })
}

/** Times have the logical type of UTC instants. Without it, readers would show local times. */
const types: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  // A string, because the text must stay byte for byte. The writer would encode it again for Parquet's JSON type.
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
}

// Safe: the keys of a record of all types.
const columnTypes = Object.keys(types) as ColumnType[]

export const schema: SchemaElement[] = [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type, nullable }): SchemaElement => {
    return { name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED', ...types[type] }
  }),
]

/** Metadata keys in the footer of a file. */
export const keys = { rows: 'cdn-rows', sha256: 'cdn-sha256', groups: 'cdn-groups' } as const

/**
 * Description of a row group, with a digest. Not all writers of Parquet use its checksums, and a reader may loop forever on a
 * changed byte. So the footer lists the digests of the row groups. The digest of the footer itself stands before the footer, where
 * other readers do not look.
 */
interface StoredGroup {
  readonly bytes: number
  readonly sha256: string
}

/** A file ends with the length of its footer (4 bytes) and the magic number `PAR1`. */
const endBytes = 8
const digestBytes = 32

/** Puts the digest of the footer before the footer. @param tail everything after the row groups */
export function addDigest(tail: Buffer): Buffer {
  const footer = tail.subarray(tail.length - endBytes - tail.readUInt32LE(tail.length - endBytes))
  return Buffer.concat([tail.subarray(0, tail.length - footer.length), hash('sha256', footer, 'buffer'), footer])
}

async function readFooter(input: StoredFile): Promise<Uint8Array<ArrayBuffer>> {
  const end = Buffer.from(await input.slice(Math.max(0, input.size - endBytes), input.size))
  if (end.toString('latin1', 4) !== 'PAR1')
    throw new DamagedError('is not a complete Parquet file: it does not end with PAR1')
  const start = input.size - endBytes - end.readUInt32LE() - digestBytes
  if (start < 0) throw new DamagedError('is not a complete Parquet file: its footer is longer than the file')
  const tail = Uint8Array.from(await input.slice(start, input.size))
  const footer = tail.subarray(digestBytes)
  if (!hash('sha256', footer, 'buffer').equals(tail.subarray(0, digestBytes))) {
    throw new DamagedError('has a changed footer, or was not written by the exporter')
  }
  return footer
}

async function readGroup(input: StoredFile, start: number, group: StoredGroup): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(await input.slice(start, start + group.bytes))
  if (hash('sha256', bytes) !== group.sha256) throw new DamagedError('has a changed row group')
  return bytes
}
