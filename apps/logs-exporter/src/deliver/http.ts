import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import type { DeliveryConfigOf } from '../config/config.ts'
import { DeliveryError } from '../errors.ts'
import { accepted, type Receipt, type Receiver } from './loop.ts'
import { type KeyedLine, keyedLines, keyOf, type Piece } from './pieces.ts'
import { createPost } from './post.ts'

type HttpConfig = DeliveryConfigOf<'http'>

/** Sends pieces as the bodies of POST requests. */
export function createHttpReceiver(config: HttpConfig, env: NodeJS.ProcessEnv): Receiver {
  const {
    format,
    compression,
    key: { header, query },
  } = config
  const { checkHeaders, connect, post } = createPost(config, env)
  const { type, encode } = formats[format]
  return {
    check: checkHeaders,
    connect,
    async send(piece, signal) {
      const key = keyOf(piece)
      const coding = compression === 'none' ? {} : { 'content-encoding': compression }
      const headers = { 'content-type': type, ...coding, ...(header && { [header]: key }) }
      const body = Uint8Array.from(await compressors[compression](encode(piece)))
      const response = await post(body, headers, signal, query ? { [query]: key } : {})
      return format === 'bulk' ? readBulk(response.body, [...keyedLines(piece)]) : accepted
    },
  }
}

const formats: Readonly<Record<HttpConfig['format'], { type: string; encode(piece: Piece): Buffer }>> = {
  ndjson: { type: 'application/x-ndjson', encode: ({ bytes }) => bytes },
  json: {
    type: 'application/json',
    encode: (piece) => Buffer.from(`[${[...keyedLines(piece)].map(({ line }) => line).join(',')}]`),
  },
  // `create` refuses an id that exists, so a repeated row is not stored twice.
  bulk: {
    type: 'application/x-ndjson',
    encode: (piece) =>
      Buffer.from([...keyedLines(piece)].map(({ key, line }) => `{"create":{"_id":"${key}"}}\n${line}\n`).join('')),
  },
}

const compressors: Readonly<Record<HttpConfig['compression'], (bytes: Buffer) => Promise<Buffer>>> = {
  none: async (bytes) => bytes,
  gzip: promisify(gzip),
  zstd: promisify(zstdCompress),
}

interface BulkItem {
  readonly status: number
  readonly reason: string
}

/**
 * Reads the results of a bulk request, one per row.
 *
 * @throws DeliveryError (transient) if the response is not a bulk response, or if a row failed with 408, 429 or 5xx. The whole piece
 *   is then sent again; rows that are stored already answer 409
 */
function readBulk(body: Buffer, lines: readonly KeyedLine[]): Receipt {
  const items = parseBulk(body)
  if (items?.length !== lines.length)
    throw new DeliveryError('transient', 'The response is not that of a bulk request, with one item per row.')
  const busy = items.find(({ status }) => status === 408 || status === 429 || status >= 500)
  if (busy) throw new DeliveryError('transient', `A row of the bulk request was answered with ${busy.status}.`)
  const rejects = items.flatMap(({ status, reason }, n) => {
    const { line } = lines[n] ?? {}
    const isStored = status < 300 || status === 409
    return isStored || line === undefined ? [] : [{ text: line, reason: `The receiver answered ${status} ${reason}.` }]
  })
  return { refused: rejects.length, rejects }
}

function parseBulk(body: Buffer): BulkItem[] | undefined {
  try {
    const { items } = JSON.parse(body.toString())
    return items.map((item: Record<string, { status: unknown; error?: { type?: unknown } }>) => {
      const { status, error } = Object.values(item)[0] ?? {}
      if (typeof status !== 'number') throw new TypeError('an item has no status')
      // Only a plain name: the type is text of the receiver.
      return { status, reason: /^[\w.]{1,80}/.exec(String(error?.type ?? ''))?.[0] ?? 'without a reason' }
    })
  } catch {
    return undefined
  }
}
