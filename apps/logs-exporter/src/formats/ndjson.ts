import { pipeline, type Transform } from 'node:stream'
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { createDigest, wholeLines } from './digest.ts'
import { DamagedError, type Encoding, type Format, type Output } from './format.ts'

/** How NDJSON is compressed: by Node's own zlib, off the main thread. */
export type Compression = 'none' | 'gzip' | 'zstd'

interface Codec {
  readonly extension: string
  readonly mediaType: string
  compress(): Transform
  decompress(): Transform
}

/** Output is handed on in pieces of this size; smaller ones cost a trip to the thread pool each. */
const chunkSize = 128 * 1024

/**
 * The checksum lets every reader see a changed byte; gzip always has one. A window of 256 KiB halves the memory of an open segment, of
 * which there is one for each zone; logs repeat themselves at short distances, so they come out some 3 % larger than with one of 2 MiB.
 */
const zstd = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_windowLog]: 18 }

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

/** NDJSON as it is, or compressed by gzip or zstd (level 3). */
export function ndjson(compression: Compression): Format {
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
    decode: (input) => wholeLines(decodeThrough(decompress(), input.stream())),
  }
}

function encodePlain(output: Output): Encoding {
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

/** Lines go in, the output takes what comes out at its own pace, and its failure is that of the next write. */
function encodeThrough(transform: Transform, output: Output): Encoding {
  const digest = createDigest()
  const written = (async () => {
    for await (const piece of transform) await output(piece)
  })()
  written.catch(() => {}) // told by the next write, or by the end
  transform.on('error', () => {}) // the same error ends the loop above
  return {
    async write({ bytes, rows, free }) {
      digest.update(bytes, rows)
      // Resolves at once where there is room, else when the bytes are taken.
      await new Promise<void>((resolve, reject) => {
        const room = transform.write(bytes, (error) => {
          if (error) return reject(error)
          free?.()
          resolve()
        })
        if (room) resolve()
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

async function* decodeThrough(transform: Transform, input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let unread: unknown // an error of the input must not be taken for one of the content
  const source = async function* () {
    try {
      yield* input
    } catch (error) {
      unread = error
      throw error
    }
  }
  pipeline(source, transform, () => {}) // its error ends the loop below
  try {
    yield* transform
  } catch (error) {
    throw unread ?? new DamagedError(`does not decompress (${error instanceof Error ? error.message : error})`)
  }
}
