/** Mutants that truncate an encoded body. `fetch` decodes the part that arrives. */
import * as zlib from 'node:zlib'
import type { Emulator } from '@cdn/emulator'
import { codedBytes } from '../../../src/exchange/coding.ts'
import { alterResponse, textOf } from '../alter-calls.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'

const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH }

const codings = {
  gzip: { encode: (text: string) => zlib.gzipSync(text), decode: (body: Buffer) => zlib.gunzipSync(body, lenient) },
  deflate: {
    encode: (text: string) => zlib.deflateSync(text),
    decode: (body: Buffer) => zlib.inflateSync(body, lenient),
  },
  br: {
    encode: (text: string) => zlib.brotliCompressSync(text),
    decode: (body: Buffer) => zlib.brotliDecompressSync(body, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  },
} as const

type Coding = keyof typeof codings

/** Encodes the body of each 200 of an operation, and removes the last `bytes` bytes of the encoded body. */
function cut(id: string, operation: string, coding: Coding, bytes: number, breaks = ['encoding']): ServerUnderTest {
  const [, name = ''] = operation.split('.')
  const coded = mutant(
    id,
    breaks.map((end) => `${operation}.${end}`),
    alterResponse([name], (response) => {
      if (response.status !== 200 || response.body === null) return response
      const body = Buffer.from(codings[coding].encode(textOf(response)).subarray(0, -bytes))
      return { ...response, compressible: false, headers: { ...response.headers, 'content-encoding': coding }, body }
    }),
  )
  return {
    ...coded,
    apply: (emulator) => {
      coded.apply(emulator)
      decode(emulator, coding)
    },
  }
}

/** Decodes bodies as a network `fetch` does: the in-process `fetch` of the emulator decodes nothing. */
function decode(emulator: Emulator, coding: Coding): void {
  const { fetch: send } = emulator
  const decoding: typeof fetch = async (input, init) => {
    const response = await send(input, init)
    if (response.headers.get('content-encoding') !== coding) return response
    const body = Buffer.from(await response.arrayBuffer())
    const { status, headers } = response
    const decoded = new Response(codings[coding].decode(body), { status, headers })
    codedBytes.set(decoded, [body])
    return decoded
  }
  Object.assign(emulator, { fetch: decoding })
}

export const codingMutants: readonly ServerUnderTest[] = [
  cut('v1: the gzip of a file lacks its trailer', 'logging.read-log-file', 'gzip', 8),
  cut('v2: the deflate of a page lacks its checksum', 'logging.query-logs', 'deflate', 4),
  cut('pull zone: the brotli of a body lacks its last byte', 'management.get-pull-zone', 'br', 1, ['encoding', 'body']),
]
