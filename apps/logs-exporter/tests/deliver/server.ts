import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { listen } from '@cdn/kit/testing/listen'
import type { Piece } from '../../src/deliver/pieces.ts'

export interface Received {
  readonly headers: IncomingMessage['headers']
  readonly url: string
  /** Decompressed. */
  readonly body: Buffer
}

/** An answer of the receiver. Status 0 takes the request and breaks the connection. */
export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: Uint8Array | string
}

/** An HTTP server that keeps all requests. It sends `answers` in order, and then the results of `answer`, by default 200. */
export async function openServer(answer: (request: Received) => Answer | Promise<Answer> = () => ({ status: 200 })) {
  const received: Received[] = []
  const answers: Answer[] = []
  const server = createServer(async (request, response) => {
    const sent = await buffer(request)
    const coding = request.headers['content-encoding']
    const body = coding === 'gzip' ? gunzipSync(sent) : coding === 'zstd' ? zstdDecompressSync(sent) : sent
    const each = { headers: request.headers, url: request.url ?? '', body }
    received.push(each)
    const { status, headers, body: content } = answers.shift() ?? (await answer(each))
    if (status === 0) return void request.socket.destroy()
    response.writeHead(status, headers).end(content)
  })
  return {
    url: await listen(server),
    received,
    answers,
    reset() {
      received.length = 0
      answers.length = 0
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A piece with these lines. */
export function pieceOf(text: string, offset = 0): Piece {
  return { segment: 'zone=1/date=2026-06-17/hour=14/a-b.r0', offset, bytes: Buffer.from(text), isLast: true }
}

/** Counts missing rows, and rows that occur too often. */
export function difference(
  expected: readonly string[],
  actual: readonly string[],
): { missing: number; doubled: number } {
  const counts = new Map<string, number>()
  for (const row of expected) counts.set(row, (counts.get(row) ?? 0) + 1)
  for (const row of actual) counts.set(row, (counts.get(row) ?? 0) - 1)
  const left = [...counts.values()]
  const sum = (of: number[]) => of.reduce((total, each) => total + each, 0)
  return { missing: sum(left.filter((each) => each > 0)), doubled: Math.abs(sum(left.filter((each) => each < 0))) }
}
