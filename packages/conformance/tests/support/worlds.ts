import type { ServerResponse } from 'node:http'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import type { World } from './live-run.ts'
import type { NetworkConditions, ProxiedResponse } from './proxy.ts'

const steady = { rowsPerSecond: 1 }

/** Platforms without a fault, in different states that a live run may encounter. */
export const worlds: readonly World[] = [
  { name: 'no traffic' },
  { name: '1 request/s', traffic: steady },
  { name: '50 requests/s', traffic: { rowsPerSecond: 50 } },
  { name: '300 requests/s', traffic: { rowsPerSecond: 300 } },
  { name: '1,500 requests/s', traffic: { rowsPerSecond: 1_500 } },
  { name: 'a few requests an hour', traffic: 'planted' },
  { name: 'rows up to 5 min late', traffic: { rowsPerSecond: 1, lateShare: 0.3, maxLatenessMs: 300_000 } },
  { name: '30 % of rows on one ms', traffic: { rowsPerSecond: 5, tieShare: 0.3 } },
  { name: 'pages of 40 rows on one ms', traffic: { rowsPerSecond: 1, bursts: { rows: 40, everyMs: 60_000 } } },
  { name: 'answers in 400 ms to 2 s', traffic: steady, latencyMs: [400, 2_000] },
  { name: 'another caller, 1 request/s', traffic: steady, otherCallerEveryMs: 1_000 },
  { name: 'local clock 90 s behind', traffic: steady, skewMs: -90_000 },
  { name: 'local clock 90 s ahead', traffic: steady, skewMs: 90_000 },
  { name: 'local clock 5 min behind', traffic: steady, skewMs: -300_000 },
  { name: 'local clock 5 min ahead', traffic: steady, skewMs: 300_000 },
  behind('proxy, path prefixes, one origin', {}),
  behind('2 % of calls 502 or 503', { errorShare: 0.02 }),
  behind('0.3 % of calls 502 or 503', { errorShare: 0.003 }),
  behind('1 % of connections reset', { resetShare: 0.01 }),
  behind('0.3 % of connections reset', { resetShare: 0.003 }),
  behind('idle connections closed after 2 s', { idleMs: 2_000 }),
  behind('connections closed 0 to 20 ms after a response', { closesWithinMs: 20 }),
  behind('reads up to 5 s stale', { staleMs: 5_000 }),
  behind('reads up to 3 s stale', { staleMs: 3_000 }),
  behind('reads up to 1 s stale', { staleMs: 1_000 }),
  behind('5 % of calls 3 s slower', { slowShare: 0.05 }),
  behind('CRLF', { edit: (text, type) => (isLines(type) ? text.replaceAll('\n', '\r\n') : text) }),
  behind('CRLF, no last newline', {
    edit: (text, type) => (isLines(type) ? text.trimEnd().replaceAll('\n', '\r\n') : text),
  }),
  behind('trimmed fractions', { edit: editTimes }),
  behind('nested unknown fields, any order, pretty-printed', { edit: editMembers }),
  behind('HTTP/1.0, closed at the end', { write: writeOld }),
  behind('tiny chunks', { write: writeTinyChunks }),
  behind('codings', { write: writeCoded }),
  behind('odd headers', { write: writeOddHeaders }),
  behind('early hints', { write: writeHints }),
  behind('null for an empty list, lists in any order', { edit: editLists }),
  behind('escaped JSON within white space', { edit: escapeText }),
  behind('counters and times that move, fields that come and go', { edit: moveCounters }),
  behind('three requests a connection', { write: writeThrice() }),
  behind('a write shows after 4 s', { staleMs: 4_000, isSteady: true }),
  behind('Retry-After as a date', { write: writeDates }),
  behind('several at once', {
    errorShare: 0.01,
    resetShare: 0.005,
    idleMs: 2_000,
    closesWithinMs: 500,
    staleMs: 3_000,
    slowShare: 0.02,
    edit: (text, type) =>
      isLines(type) ? text.trimEnd().replaceAll('\n', '\r\n') : editLists(editMembers(editTimes(text), type), type),
    write: writeCoded,
  }),
]

function behind(name: string, proxy: NetworkConditions): World {
  return { name, traffic: steady, proxy }
}

function isLines(type: string): boolean {
  return type.startsWith('text/plain')
}

/** Removes the zeros at the end of the fractions of seconds. */
function editTimes(text: string): string {
  return text.replace(/("timestamp":"[^".]*)\.(\d*?)0*Z"/g, (_, start, digits) => `${start}${digits && `.${digits}`}Z"`)
}

let unknown = 0

/** Changes the order of the members of objects, and adds a new unknown member to each object, except to error bodies. */
function editMembers(text: string, type: string): string {
  if (!type.includes('json')) return text
  const edit = (_: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const extra = 'ErrorKey' in value ? {} : { [`unknown${++unknown % 3}`]: [unknown, [{ y: 'é', x: null }]] }
    const entries = Object.entries({ ...value, ...extra })
    return Object.fromEntries(unknown % 3 === 0 ? entries.reverse() : entries.toSorted(() => (unknown % 2 ? 1 : -1)))
  }
  return JSON.stringify(JSON.parse(text, edit), undefined, 2)
}

/** Changes each value of a JSON body. */
function editValues(
  text: string,
  type: string,
  change: (name: string, value: unknown, index: number) => unknown,
): string {
  let index = 0
  return type.includes('json') ? JSON.stringify(JSON.parse(text, (name, value) => change(name, value, index++))) : text
}

function editLists(text: string, type: string): string {
  return editValues(text, type, (name, value, index) => {
    if (name !== 'AllowedReferrers' || !Array.isArray(value)) return value
    return value.length === 0 ? null : value.toSorted(() => (index % 2 ? 1 : -1))
  })
}

/** Changes counters that only the platform changes, and adds fields that the contract does not state. */
function moveCounters(text: string, type: string): string {
  const now = performance.now()
  return editValues(text, type, (name, value, index) => {
    if (typeof value === 'number' && /Usage$|Count$/.test(name)) return value + Math.round(now)
    if (typeof value !== 'object' || value === null || !('Name' in value)) return value
    return {
      ...value,
      LastSeen: new Date(now).toISOString(),
      ...(Math.round(now + index) % 3 === 0 && { Beta: index }),
    }
  })
}

function escapeText(text: string, type: string): string {
  if (!type.includes('json')) return text
  const escaped = text.replace(/(?<!\\|\\u[0-9a-f]{0,3})[a-z](?=[^"]*"\s*[,}\]:])/gi, (letter, at: number) =>
    at % 7 === 0 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
  )
  // The text becomes invalid if a letter of `true`, `null` or an escape was escaped.
  try {
    JSON.parse(escaped)
    return `\n\t ${escaped} \r\n`
  } catch {
    return `\n\t ${text} \r\n`
  }
}

function writeThrice() {
  const counts = new WeakMap<object, number>()
  return (outgoing: ServerResponse, { status, headers, body }: ProxiedResponse): void => {
    const socket = outgoing.socket ?? {}
    const count = (counts.get(socket) ?? 0) + 1
    counts.set(socket, count)
    if (count === 3) outgoing.setHeader('Connection', 'close')
    outgoing.writeHead(status, headers).end(body)
  }
}

function writeDates(outgoing: ServerResponse, { status, headers, body }: ProxiedResponse): void {
  const { 'retry-after': seconds, date, ...others } = headers
  const at = new Date(date ?? '').getTime() + Number(seconds) * 1_000
  const pause = seconds === undefined || Number.isNaN(at) ? {} : { 'Retry-After': new Date(at).toUTCString() }
  outgoing.writeHead(status, { ...others, ...(date !== undefined && { date }), ...pause }).end(body)
}

/** Writes bytes to the connection and closes it. */
function writeRaw(
  outgoing: ServerResponse,
  { status, headers, body }: ProxiedResponse,
  first: string,
  coded = body,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  outgoing.socket?.write(`${first} ${status} \r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`)
  outgoing.socket?.end(status === 204 ? '' : coded)
}

function writeOld(outgoing: ServerResponse, response: ProxiedResponse): void {
  writeRaw(outgoing, response, 'HTTP/1.0')
}

/** Writes the body in up to 200 chunks, with chunk extensions and a trailer. */
function writeTinyChunks(outgoing: ServerResponse, response: ProxiedResponse): void {
  const size = Math.max(1, Math.ceil(response.body.length / 200))
  const chunks: Buffer[] = []
  for (let at = 0; at < response.body.length; at += size) {
    const chunk = response.body.subarray(at, at + size)
    chunks.push(Buffer.from(`${chunk.length.toString(16)};ext="a b"\r\n`), chunk, Buffer.from('\r\n'))
  }
  const coded = Buffer.concat([...chunks, Buffer.from('0\r\nx-trailer: 1\r\n\r\n')])
  const headers = response.status === 204 ? response.headers : { ...response.headers, 'Transfer-Encoding': 'chunked' }
  writeRaw(outgoing, { ...response, headers }, 'HTTP/1.1', coded)
}

const codings = {
  gzip: gzipSync,
  'x-gzip': (body: Buffer) => Buffer.concat([gzipSync(body.subarray(0, 10)), gzipSync(body.subarray(10))]),
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: deflateSync,
}

/** Compresses each body, if the caller accepts it. Its length decides which coding is used, so that a run meets all of them. */
function writeCoded(outgoing: ServerResponse, { status, headers, body }: ProxiedResponse): void {
  const accepted = outgoing.req.headers['accept-encoding'] ?? '*'
  const isAccepted = (name: string) =>
    String(accepted)
      .split(',')
      .some((one) => !one.includes('q=0') && ['*', name.replace('x-', '')].includes(one.trim()))
  const all = Object.entries(codings).filter(([name]) => isAccepted(name))
  const [name, encode] = all[body.length % all.length] ?? ['identity', (bytes: Buffer) => bytes]
  if (name === 'identity') outgoing.writeHead(status, headers).end(status === 204 ? undefined : body)
  else if (status === 204) outgoing.writeHead(status, headers).end()
  else outgoing.writeHead(status, { ...headers, 'Content-Encoding': name }).end(encode(body))
}

function writeOddHeaders(outgoing: ServerResponse, { status, headers, body }: ProxiedResponse): void {
  const type = headers['content-type']
  outgoing.statusMessage = ' '
  outgoing.sendDate = false
  outgoing.setHeader(
    'Set-Cookie',
    Array.from({ length: 30 }, (_, index) => `c${index}=${'v'.repeat(60)}; Path=/`),
  )
  outgoing.setHeader("x!#$%&'*+.^_`|~-1", 'é'.repeat(10))
  outgoing.setHeader('x-long', 'x'.repeat(8_000))
  const { date: _, ...others } = headers
  outgoing.writeHead(status, { ...others, ...(type && { 'CONTENT-type': `${type.split(';')[0]}; Charset="UTF-8"` }) })
  outgoing.end(body)
}

function writeHints(outgoing: ServerResponse, { status, headers, body }: ProxiedResponse): void {
  outgoing.writeProcessing()
  for (const link of ['</a.css>; rel=preload', '</b.css>; rel=preload']) outgoing.writeEarlyHints({ link })
  outgoing.writeHead(status, headers).end(body)
}
