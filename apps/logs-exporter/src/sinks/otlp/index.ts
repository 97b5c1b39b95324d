import { passOn } from '../once-passed.ts'
import type { Sink } from '../sink.ts'
import { createOtlpClient, type OtlpPlace } from './client.ts'
import { encodeRequest } from './encode.ts'

/** Bytes of lines per request. Collectors commonly accept 4 to 20 MB, and a record is about as long as its line. */
const requestBytes = 1024 * 1024
const lineFeed = 10

/** A sink that sends log records to a collector, by OTLP over HTTP in protobuf. */
export function openOtlpSink(place: OtlpPlace): Sink {
  const send = createOtlpClient(place)
  const check = async (signal: AbortSignal) => void (await send(encodeRequest('', Date.now()), signal))
  return passOn({ name: 'otlp', check, async close() {} }, (signal) => {
    let waiting: Buffer = Buffer.alloc(0)
    let refused = 0

    async function sendAll(minBytes: number): Promise<void> {
      while (waiting.length > 0 && waiting.length >= minBytes) {
        const end = waiting.indexOf(lineFeed, Math.min(requestBytes, waiting.length) - 1) + 1
        refused += await send(encodeRequest(waiting.toString('utf8', 0, end), Date.now()), signal)
        waiting = waiting.subarray(end)
      }
    }

    return {
      async pass({ bytes }) {
        waiting = Buffer.concat([waiting, bytes])
        await sendAll(requestBytes)
      },
      async end() {
        await sendAll(0)
        return refused
      },
    }
  })
}
