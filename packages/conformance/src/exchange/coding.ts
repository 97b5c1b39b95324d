/** The content coding of a response (RFC 9110 §8.4). `fetch` decodes it, and accepts a coded body without its end. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** The bytes of each coded body as they arrived. Only some transports set them. */
export const codedBytes = new WeakMap<Response, readonly Uint8Array[]>()

/** Key of undici's global dispatcher, which sends the requests of `fetch`. Node sets it in the first call of `fetch`. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1')

interface Dispatcher {
  dispatch(options: unknown, handler: Handler): unknown
}

/** Callbacks of `fetch` for the parts of a body. Node 26 has another name for them than earlier versions. */
interface Handler {
  onData?(part: Uint8Array): unknown
  onResponseData?(controller: unknown, part: Uint8Array): unknown
}

/** Wraps `fetch`, so that it stores the bytes of a coded body in `codedBytes` before it decodes them. */
export function withCodedBytes(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const agent: Dispatcher | undefined = Reflect.get(globalThis, dispatcherKey)
    if (!agent) return send(input, init)
    let parts: Uint8Array[] | undefined = []
    const seeing = ({ onData, onResponseData }: Handler): Handler => ({
      onData(part) {
        parts?.push(part)
        return onData?.call(this, part)
      },
      onResponseData(controller, part) {
        parts?.push(part)
        return onResponseData?.call(this, controller, part)
      },
    })
    const dispatcher: Dispatcher = {
      dispatch: (options, handler) => agent.dispatch(options, Object.setPrototypeOf(seeing(handler), handler)),
    }
    // `dispatcher` is an option of Node's `fetch` alone.
    const response = await send(input, Object.assign({}, init, { dispatcher }))
    if (response.headers.has('content-encoding')) codedBytes.set(response, parts)
    else parts = undefined
    return response
  }
}

/** Decoders by coding. Each throws for a truncated body. zstd is missing, because `fetch` itself refuses a truncated zstd body. */
const decoders = new Map<string, (bytes: Uint8Array) => Uint8Array>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', (bytes) => (isZlib(bytes) ? inflateSync(bytes) : inflateRawSync(bytes))],
  ['br', brotliDecompressSync],
])

/** Many servers send deflate without the header of zlib, and every client accepts it. */
function isZlib([first = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 0x08
}

/**
 * Whether a coded body is complete. Call it after the body was read to its end.
 *
 * @returns undefined if the body has no coding, or the transport did not show it, or the coding is unknown
 */
export function hasWholeCoding(response: Response): boolean | undefined {
  const names = (response.headers.get('content-encoding') ?? '').toLowerCase().split(',')
  const applied = names.map((name) => decoders.get(name.trim()))
  let bytes: Uint8Array = Buffer.concat(codedBytes.get(response) ?? [])
  if (bytes.length === 0 || applied.includes(undefined)) return undefined
  try {
    for (const decode of applied.toReversed()) if (decode) bytes = decode(bytes)
    return true
  } catch {
    return false
  }
}
