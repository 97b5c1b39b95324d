import { Agent, get } from 'node:http'
import { defined } from '@cdn/kit/defined'
import type { Load } from './rates.ts'
import type { Subject } from './subjects/child.ts'

/** The end of a v2 page. The client does not parse the rows, so the measurement covers only the server. */
export interface PageFoot {
  readonly returned: number
  readonly hasMore: boolean
  readonly bytes: number
}

/**
 * Reads a page over a socket.
 *
 * @param agent keeps connections open
 * @param inspect receives the whole body
 * @throws Error if the status is not 200
 */
export async function readPage(
  url: URL,
  accessKey: string,
  agent: Agent,
  inspect?: (body: Buffer) => void,
): Promise<PageFoot> {
  let bytes = 0
  let last: Buffer = Buffer.alloc(0)
  const all: Buffer[] = []
  for await (const chunk of await answerOf(url, accessKey, agent)) {
    bytes += chunk.length
    last = chunk.length >= footLength ? chunk : Buffer.concat([last.subarray(-footLength), chunk])
    if (inspect) all.push(chunk)
  }
  inspect?.(Buffer.concat(all))
  const foot = /"returned":(\d+),"hasMore":(true|false)/.exec(last.subarray(-footLength).toString())
  if (!foot) throw new Error('The page has no pagination at its end')
  return { returned: Number(foot[1]), hasMore: foot[2] === 'true', bytes }
}

/** Maximum length of the part after the rows. */
const footLength = 400

/** Returns the body of a response with 200, chunk by chunk. */
export function answerOf(url: URL, accessKey: string, agent: Agent): Promise<AsyncIterable<Buffer>> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { AccessKey: accessKey } }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`Unexpected status ${response.statusCode} for ${url.pathname}`))
    })
    request.on('error', reject)
  })
}

/** Traffic that is read in full pages: its end, its rate and its zones. */
export interface Pages {
  readonly now: number
  readonly rowsPerSecond: number
  readonly zoneIds: readonly string[]
}

const hour = 3_600_000

/**
 * Creates a load that reads full pages in sequence on one connection, from all zones and from a different time in each round. The
 * virtual clock advances, so that the requests stay within the rate limit.
 *
 * @returns a load that counts rows
 */
export function readAll(subject: Subject, { now, rowsPerSecond, zoneIds }: Pages): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let page = 0
  return async (milliseconds) => {
    const end = performance.now() + milliseconds
    let rows = 0
    for (; performance.now() < end; page++) {
      if (page % 25 === 0) await subject.ask({ advance: 10_000 })
      const zoneId = defined(zoneIds[page % zoneIds.length])
      const url = pageUrl(subject, zoneId, { now, rowsPerSecond }, Math.floor(page / zoneIds.length))
      rows += (await readPage(url, subject.accessKey, agent)).returned
    }
    return rows
  }
}

/** Returns the URL of a full page. Its range has a little more than 10,000 rows, not counting rows of the origin shield. */
export function pageUrl(
  { loggingUrl }: Subject,
  zoneId: string,
  { now, rowsPerSecond }: Omit<Pages, 'zoneIds'>,
  index: number,
): URL {
  const length = Math.ceil((12_000 / rowsPerSecond) * 1000)
  const from = now - 12 * hour + ((index * length) % (11 * hour))
  const query = new URLSearchParams({
    from: new Date(from).toISOString(),
    to: new Date(from + length).toISOString(),
    limit: '10000',
    order: 'asc',
  })
  return new URL(`v2/pullzones/${zoneId}/logs?${query}`, loggingUrl)
}
