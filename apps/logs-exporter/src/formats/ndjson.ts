import { pipeline, type Transform } from 'node:stream'
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress, type Zlib } from 'node:zlib'
import { messageOf } from '@cdn/kit/error-message'
import type { FormatConfig } from '../config/config.ts'
import { DamagedError } from '../errors.ts'
import { createDigest, type Encoding, type FileFormat, type StoredFile, type WriteBytes, wholeLines } from './format.ts'

type Compression = FormatConfig['compression']

interface Codec {
  readonly extension: string
  readonly mediaType: string
  compress(): Transform
  decompress(): Transform & Pick<Zlib, 'bytesWritten'>
}

/** Size of output pieces, in bytes. With smaller ones, the thread pool would be called more often. */
const chunkSize = 128 * 1024

/**
 * The checksum detects changed bytes; gzip always has one. The window is 256 KiB and the tables of matches have half of their usual
 * size, because each zone has an open segment in memory. Logs repeat at short distances, so files are only about 3 % larger than with
 * 2 MiB, and the smaller tables save a third of the processor time.
 */
export const zstd = {
  [constants.ZSTD_c_checksumFlag]: 1,
  [constants.ZSTD_c_windowLog]: 18,
  [constants.ZSTD_c_hashLog]: 16,
  [constants.ZSTD_c_chainLog]: 15,
}

const codecs: Record<Exclude<Compression, 'none'>, Codec> = {
  gzip: {
    extension: '.ndjson.gz',
    mediaType: 'application/gzip',
    compress: () => createGzip({ chunkSize }),
    decompress: () => createGunzip({ chunkSize }),
  },
  zstd: {
    extension: '.ndjson.zst',
    mediaType: 'application/zstd',
    compress: () => createZstdCompress({ chunkSize, params: zstd }),
    decompress: () => createZstdDecompress({ chunkSize }),
  },
}

/** NDJSON without compression, or with gzip or zstd (level 3). Node's zlib compresses outside the main thread. */
export function ndjson(compression: Compression): FileFormat {
  if (compression === 'none') {
    return {
      extension: '.ndjson',
      mediaType: 'application/x-ndjson',
      encode: encodePlain,
      decode: (input) => wholeLines(input.stream()),
    }
  }
  const { extension, mediaType, compress, decompress } = codecs[compression]
  return {
    extension,
    mediaType,
    encode: (output) => encodeThrough(compress(), output),
    decode: (input) => wholeLines(decodeThrough(decompress(), input)),
  }
}

function encodePlain(output: WriteBytes): Encoding {
  const digest = createDigest()
  return {
    async write({ bytes, rows }) {
      digest.update(bytes, rows)
      await output(bytes)
    },
    end: async () => digest.content(),
    abort() {},
  }
}

/** Pipes lines through a transform to the output, at the pace of the output. If the output fails, the next write or the end reports it. */
function encodeThrough(transform: Transform, output: WriteBytes): Encoding {
  const digest = createDigest()
  const written = (async () => {
    for await (const piece of transform) await output(piece)
  })()
  written.catch(() => {}) // the next write or the end reports the error
  transform.on('error', () => {}) // the same error ends the loop above
  return {
    async write({ bytes, rows }) {
      digest.update(bytes, rows)
      await new Promise<void>((resolve, reject) => {
        transform.write(bytes, (error) => (error ? reject(error) : resolve()))
      }).catch((error: unknown) => written.then(() => Promise.reject(error)))
    },
    async end() {
      transform.end()
      await written
      return digest.content()
    },
    abort: () => void transform.destroy(),
  }
}

async function* decodeThrough(
  transform: Transform & Pick<Zlib, 'bytesWritten'>,
  input: StoredFile,
): AsyncGenerator<Uint8Array> {
  let unread: unknown // tells a read failure from damaged content
  const source = async function* () {
    try {
      yield* input.stream()
    } catch (error) {
      unread = error
      throw error
    }
  }
  pipeline(source, transform, () => {}) // its error ends the loop below
  try {
    yield* transform
  } catch (error) {
    throw unread ?? new DamagedError(`does not decompress (${messageOf(error)})`)
  }
  // The decoder of zstd ends with the first frame, and says nothing about what follows.
  if (transform.bytesWritten !== input.size) throw new DamagedError('has bytes behind its end')
}
