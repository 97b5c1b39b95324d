import { createServer } from 'node:http'
import { defined } from '@cdn/kit/defined'
import { announce } from './announce.ts'
import { rowAt } from './row-at.ts'

/**
 * A fast server of version 2 of the logging interface. It serves rows from memory: `rows` rows, one per millisecond from
 * `start` on, the same in every zone. `agentBytes` is the additional length of each user agent.
 */
export interface LogServer {
  readonly start: number
  readonly rows: number
  readonly agentBytes: number
}

const { start, rows, agentBytes }: LogServer = JSON.parse(defined(process.argv[2]))
const padding = 'x'.repeat(agentBytes)
const longer = (text: string) => text.replace('Mozilla', `${padding}Mozilla`)

/** Joins texts in one buffer. Text n starts at `starts[n]`. */
function join(count: number, textAt: (n: number) => string): { bytes: Buffer; starts: Float64Array } {
  const pieces: Buffer[] = []
  const starts = new Float64Array(count + 1)
  let text = ''
  let length = 0
  for (let n = 0; n < count; n++) {
    starts[n] = length
    const next = longer(textAt(n))
    text += next
    length += next.length
    if (text.length < 2 ** 20) continue
    pieces.push(Buffer.from(text))
    text = ''
  }
  starts[count] = length
  return { bytes: Buffer.concat([...pieces, Buffer.from(text)]), starts }
}

const entries = join(rows, (n) => `${rowAt(start + n)},`)

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(String(request.url), 'http://logs.invalid')
  const [from, to] = [defined(query.get('from')), defined(query.get('to'))]
  const limit = Number(query.get('limit'))
  const first = Math.min(Math.max(Date.parse(from) - start, 0), rows)
  const last = Math.min(Math.max(Date.parse(to) - start, 0), rows, first + limit)
  const hasMore = Math.min(Date.parse(to) - start, rows) > last
  const pagination = { offset: 0, limit, returned: last - first, hasMore }
  const echo = { pullZoneId: Number(pathname.split('/')[3]), from, to, order: 'asc' }
  const [begin, end] = [defined(entries.starts[first]), defined(entries.starts[last])]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"data":[')
  if (end > begin) response.write(entries.bytes.subarray(begin, end - 1))
  response.end(`],"pagination":${JSON.stringify(pagination)},"query":${JSON.stringify(echo)}}`)
})
announce(server)
