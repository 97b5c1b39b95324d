import { createHash } from 'node:crypto'
import { DamagedError, type StoredFile } from '../format.ts'

/**
 * Description of a row group, with a digest. Not all writers of Parquet use its checksums, and a reader may loop forever on a
 * changed byte. So the footer lists the digests of the row groups. The digest of the footer itself stands before the footer, where
 * other readers do not look.
 */
export interface StoredGroup {
  readonly bytes: number
  readonly sha256: string
}

/** A file ends with the length of its footer (4 bytes) and the magic number `PAR1`. */
const endBytes = 8
const digestBytes = 32

/** SHA-256 in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Puts the digest of the footer before the footer. @param tail everything after the row groups */
export function seal(tail: Buffer): Buffer {
  const footer = tail.subarray(tail.length - endBytes - tail.readUInt32LE(tail.length - endBytes))
  return Buffer.concat([tail.subarray(0, tail.length - footer.length), Buffer.from(sha256(footer), 'hex'), footer])
}

/** Reads the footer of a file and everything after it. Checks its digest first. */
export async function readFooter(input: StoredFile): Promise<Uint8Array<ArrayBuffer>> {
  const end = Buffer.from(await input.slice(Math.max(0, input.size - endBytes), input.size))
  if (end.toString('latin1', 4) !== 'PAR1')
    throw new DamagedError('is not a complete Parquet file: it does not end with PAR1')
  const start = input.size - endBytes - end.readUInt32LE() - digestBytes
  if (start < 0) throw new DamagedError('is not a complete Parquet file: its footer is longer than the file')
  const tail = Uint8Array.from(await input.slice(start, input.size))
  const footer = tail.subarray(digestBytes)
  if (sha256(footer) !== Buffer.from(tail.subarray(0, digestBytes)).toString('hex')) {
    throw new DamagedError('has a changed footer, or was not written by the exporter')
  }
  return footer
}

/** Reads a row group, and checks its digest first. @param start offset in the file */
export async function readGroup(
  input: StoredFile,
  start: number,
  group: StoredGroup,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(await input.slice(start, start + group.bytes))
  if (sha256(bytes) !== group.sha256) throw new DamagedError('has a changed row group')
  return bytes
}
