import { passOn } from '../once-passed.ts'
import type { Sink } from '../sink.ts'
import { createOtlpClient, type OtlpPlace } from './client.ts'
import { encodeRequest } from './encode.ts'

/** Lines of one request, in bytes; collectors commonly take 4 to 20 MB, and a record is about as long as its line. */
const requestBytes = 1024 * 1024
const lineFeed = 10

/** Log records for a collector, by OTLP over HTTP in protobuf. */
export function openOtlpSink(place: OtlpPlace): Sink {
  const send = createOtlpClient(place)
  const check = (signal: AbortSignal) => send(encodeRequest('', Date.now()), signal)
  return passOn({ name: 'otlp', check, async close() {} }, (signal) => {
    let waiting: Buffer = Buffer.alloc(0)

    async function sendAll(least: number): Promise<void> {
      while (waiting.length > 0 && waiting.length >= least) {
        const end = waiting.indexOf(lineFeed, Math.min(requestBytes, waiting.length) - 1) + 1
        await send(encodeRequest(waiting.toString('utf8', 0, end), Date.now()), signal)
        waiting = waiting.subarray(end)
      }
    }

    return {
      async pass({ bytes }) {
        waiting = Buffer.concat([waiting, bytes])
        await sendAll(requestBytes)
      },
      end: () => sendAll(0),
    }
  })
}
