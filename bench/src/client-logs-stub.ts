/** Stubs of both versions of the logging interface. They are fast, so a measurement mostly measures the readers. */
import { defined } from '@cdn/kit/defined'

export interface LinesOptions {
  readonly rows: number
}

const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0'

/** Returns a line of version 1, about 300 bytes with the line break. */
export function lineAt(n: number): string {
  const id = n.toString(16).padStart(32, '0')
  const url = `https://cdn.example.net/assets/${n % 5000}/photo-large.jpg?v=${n}&width=1200&quality=80`
  return `HIT|200|${n}|${1000 + n}|123456|192.0.2.${n % 255}|https://www.example.com/page/${n % 1000}|${url}|DE|${agent}|${id}|DE\n`
}

/** Serves a day file in pieces of about 64 KiB. The pieces are generated while the file is read. */
export function lines({ rows }: LinesOptions): typeof fetch {
  return async () => {
    let n = 0
    const encoder = new TextEncoder()
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      let text = ''
      while (text.length < 65_536 && n < rows) text += lineAt(n++)
      if (text === '') controller.close()
      else controller.enqueue(encoder.encode(text))
    }
    return new Response(new ReadableStream({ pull }))
  }
}

/** Serves pages of version 2. There is one row per millisecond from 0 on; each row has about 700 bytes. */
export async function pages({ url }: Request): Promise<Response> {
  const query = new URL(url).searchParams
  const [from, to] = [defined(query.get('from')), defined(query.get('to'))]
  const limit = Number(query.get('limit'))
  const start = Math.max(Date.parse(from), 0)
  const end = Math.min(Date.parse(to), start + limit)
  const rows: string[] = []
  for (let at = start; at < end; at++) rows.push(rowAt(at))
  const hasMore = Date.parse(to) > end
  const pagination = JSON.stringify({ offset: 0, limit, returned: rows.length, hasMore })
  const echo = JSON.stringify({ pullZoneId: 1, from, to, order: 'asc' })
  return new Response(`{"data":[${rows.join()}],"pagination":${pagination},"query":${echo}}`)
}

/** Returns a row of version 2 as JSON, about 650 bytes. */
export function rowAt(at: number): string {
  const url = `/assets/${at % 5000}/photo-large.jpg?v=${at}`
  return JSON.stringify({
    timestamp: new Date(at).toISOString(),
    pullZoneId: 1,
    requestId: at.toString(16).padStart(32, '0'),
    cacheStatus: 'HIT',
    statusCode: 200,
    bytesSent: at,
    remoteIp: '192.0.2.0',
    countryCode: 'DE',
    userAgent: agent,
    referer: 'https://www.example.com/page',
    ja4Fingerprint: 't13d1516h2_8daaf6152771_02713d6af862',
    asn: 64500,
    asnOrganization: 'Example Network',
    edgeLocation: 'DE',
    scheme: 'https',
    host: 'cdn.example.net',
    path: url,
    url: `https://cdn.example.net${url}`,
  })
}
