import { createServer } from 'node:http'
import { assertDefined } from '@cdn/kit/assert-defined'
import { announce } from './announce.ts'
import { type RowKind, rowAt } from './row-at.ts'

/**
 * A fast server of version 2 of the logging interface. It serves rows from memory: `rows` rows, one per `everyMs` from `start` on, the
 * same in every zone.
 */
export interface LogServer {
  readonly start: number
  readonly rows: number
  readonly everyMs: number
  readonly kind: RowKind
}

const { start, rows, everyMs, kind }: LogServer = JSON.parse(assertDefined(process.argv[2]))

/** Joins texts in one buffer. Text n starts at `starts[n]`. */
function join(count: number, textAt: (n: number) => string): { bytes: Buffer; starts: Float64Array } {
  const pieces: Buffer[] = []
  const starts = new Float64Array(count + 1)
  let length = 0
  for (let n = 0; n < count; n++) {
    starts[n] = length
    const piece = Buffer.from(textAt(n))
    pieces.push(piece)
    length += piece.length
  }
  starts[count] = length
  return { bytes: Buffer.concat(pieces), starts }
}

const entries = join(rows, (n) => `${rowAt(start + n * everyMs, kind)},`)
const indexOf = (time: string) => Math.min(Math.max(Math.ceil((Date.parse(time) - start) / everyMs), 0), rows)

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(String(request.url), 'http://logs.invalid')
  const [from, to] = [assertDefined(query.get('from')), assertDefined(query.get('to'))]
  const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset') ?? 0)]
  const first = Math.min(indexOf(from) + offset, rows)
  const last = Math.min(indexOf(to), first + limit)
  const pagination = { offset, limit, returned: last - first, hasMore: indexOf(to) > last }
  const echo = { pullZoneId: Number(pathname.split('/')[3]), from, to, order: 'asc' }
  const [begin, end] = [assertDefined(entries.starts[first]), assertDefined(entries.starts[last])]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"data":[')
  if (end > begin) response.write(entries.bytes.subarray(begin, end - 1))
  response.end(`],"pagination":${JSON.stringify(pagination)},"query":${JSON.stringify(echo)}}`)
})
await announce(server)
