import { type Observation, type Outside, pageOf, readPage } from './observation.ts'

const watermark = 'videolibrary/1001/watermark'
const page = 'v2/pullzones/2002/logs?limit=1'

/** Returns how many of several requests at the same virtual time are accepted. */
async function accepted({ logging }: Outside, count: number): Promise<number> {
  let ok = 0
  for (let sent = 0; sent < count; sent++) if ((await logging(page)).status === 200) ok++
  return ok
}

/** Observations of the variants of credentials, paths, parameters and the rate limit. */
export const accessObservations = {
  bearerOnKeyOperation: {
    observe: async ({ management, bearer }) =>
      (await management('pullzone/2001', { headers: { Authorization: `Bearer ${bearer}` } })).status,
    expected: { refused: 401, accepted: 200 },
  },
  bareToken: {
    observe: async ({ management, logging, bearer }) => {
      const headers = { Authorization: bearer }
      return [(await management('videolibrary/1001', { headers })).status, (await logging(page, { headers })).status]
    },
    expected: { refused: [401, 403], accepted: [200, 200] },
  },
  bothCredentials: {
    // A wrong key with a valid token, then a valid key with a wrong token.
    observe: async ({ management, key, bearer }) => {
      const remove = async (headers: Record<string, string>) =>
        (await management(watermark, { method: 'DELETE', headers })).status
      return [
        await remove({ AccessKey: 'wrong', Authorization: `Bearer ${bearer}` }),
        await remove({ AccessKey: key, Authorization: 'Bearer wrong' }),
      ]
    },
    expected: { 'one valid is enough': [204, 204], 'key decides': [401, 204], 'both must be valid': [401, 401] },
  },
  missingScope: {
    observe: async ({ management, noScope }) =>
      (await management(watermark, { method: 'DELETE', headers: { Authorization: `Bearer ${noScope}` } })).status,
    expected: { 401: 401, 403: 403 },
  },
  unknownZone: {
    observe: async ({ logging }) => (await logging('v2/pullzones/2999/logs')).status,
    expected: { 403: 403, 404: 404 },
  },
  rateWindow: {
    // Requests beyond the limit one second before a multiple of ten seconds, one second later, and after a minute without requests.
    observe: async (outside) => {
      const counts: number[] = []
      for (const ms of [9_000, 1_000, 60_000]) {
        await outside.advance(ms)
        counts.push(await accepted(outside, 31))
      }
      return counts
    },
    expected: { sliding: [30, 0, 30], fixed: [30, 30, 30], bucket: [30, 3, 30] },
  },
  rateBuckets: {
    observe: async (outside) => {
      await accepted(outside, 30)
      return (await outside.logging('06-17-26/2002.log?end=1')).status
    },
    expected: { shared: 429, 'one each': 200 },
  },
  refusedRequests: {
    // Thirty accepted requests, thirty refused requests five seconds later, and more than the limit when the first thirty no longer
    // count.
    observe: async (outside) => {
      const first = await accepted(outside, 30)
      await outside.advance(5_000)
      const second = await accepted(outside, 30)
      await outside.advance(5_000)
      return [first, second, await accepted(outside, 31)]
    },
    expected: { 'not counted': [30, 0, 30], counted: [30, 0, 0] },
  },
  retryAfter: {
    observe: async (outside) => {
      await accepted(outside, 30)
      await outside.advance(2_000)
      return (await outside.logging(page)).headers.get('retry-after')
    },
    expected: { absent: null, present: '8' },
  },
  pathCase: {
    observe: async ({ management, logging }) => [
      (await management('PullZone/2001')).status,
      (await logging('V2/PullZones/2002/Logs?limit=1')).status,
    ],
    expected: { refused: [404, 404], ignored: [200, 200] },
  },
  trailingSlash: {
    observe: async ({ management, logging }) => [
      (await management('pullzone/2001/')).status,
      (await logging('v2/pullzones/2002/logs/?limit=1')).status,
    ],
    expected: { refused: [404, 404], ignored: [200, 200] },
  },
  parameterCase: {
    observe: async (outside) => (await readPage(outside, 'Limit=3')).pagination.limit,
    expected: { unknown: 100, ignored: 3 },
  },
  unknownParameter: {
    observe: async ({ logging }) => (await logging(`${page}&nonsense=1`)).status,
    expected: { ignored: 200, refused: 400 },
  },
  emptyParameter: {
    observe: async ({ logging }) => (await logging(`${page.replace(/limit=\d+/, 'limit=')}`)).status,
    expected: { ignored: 200, refused: 400 },
  },
  repeatedParameter: {
    observe: async ({ logging }) => {
      const response = await logging(`${page}&limit=2`)
      return [response.status, response.ok && (await pageOf(response)).data?.length]
    },
    expected: { refused: [400, false], 'first wins': [200, 1] },
  },
} satisfies Record<string, Observation>
