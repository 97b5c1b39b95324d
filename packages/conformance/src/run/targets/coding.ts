/** The content coding of a response (RFC 9110 §8.4). `fetch` decodes it, and accepts a coded body without its end. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** The bytes of each body as they arrived. Only a transport that shows them sets them. */
export const codedBytes = new WeakMap<Response, readonly Uint8Array[]>()

/** What sends the requests of `fetch`: an object of undici that Node shows under this symbol, once `fetch` has been called. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1')

interface Dispatcher {
  dispatch(options: unknown, handler: Handler): unknown
}

/** What `fetch` does with the parts of a response. Node 26 has other names for it. */
interface Handler {
  onData?(part: Uint8Array): unknown
  onResponseData?(controller: unknown, part: Uint8Array): unknown
}

/** Wraps `fetch`, so that the bytes of a coded body are seen before they are decoded. */
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

/** Decodes the bytes of a coding. Each throws for a body without its end. `fetch` itself refuses a cut zstd. */
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
 * Whether the coding of a body that was read to its end has its end, too.
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
