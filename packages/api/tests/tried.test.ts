/** What users try with the package, each with the test that shows its outcome. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManagementClient } from '../src/index.ts'

const client = 'packages/api/src/client.test.ts'
const retry = 'packages/api/src/fetch/with-retry.test.ts'
const auth = 'packages/api/src/fetch/with-auth.test.ts'
const serializers = 'packages/api/src/serializers.test.ts'
const readLogs = 'packages/api/src/logs/read-logs.test.ts'
const suite = 'tests/src/client/suite.ts'
const readme = 'packages/api/tests/readme.test.ts'
const release = 'tests/src/release/tarballs.test.ts'
const simulation = 'tests/src/client/read-logs-simulation.test.ts'
const here = 'packages/api/tests/tried.test.ts'

const tried: readonly (readonly [what: string, file: string, title: string])[] = [
  ['a read', suite, 'reads a pull zone'],
  ['404', suite, 'resolves to refusals, and unwrap throws them'],
  ['401', client, 'a %d says if no credential is configured'],
  ['403', client, 'a %d says if no credential is configured'],
  ['400 with field and code', client, 'an error body resolves, and unwrap turns it into an ApiError'],
  ['a time-out per call', client, 'false switches each off, per client and per call'],
  ['a time-out by signal', client, 'an aborted call rejects with the reason of its signal'],
  ['an idle time-out', suite, 'ends a call that hangs, and one that its caller gives up'],
  ['429 with Retry-After', retry, 'Retry-After %s'],
  ['a write at 503', retry, 'a read is repeated after %s, a write is not'],
  ['a refused port', client, 'the cause of a broken connection is kept, and the message includes its code'],
  ['an unknown host', retry, 'Node, no such host'],
  ['502 as HTML', client, '<html>Bad Gateway</html>'],
  ['200 as HTML', client, 'an unusable response rejects with a TransportError'],
  ['a redirect', client, 'a redirect is one request to the configured origin'],
  ['a limit on the body', client, 'a body that is longer than the limit is an error, unless it is read as a stream'],
  ['ids up to 2^63', serializers, '64-bit ids are sent exactly'],
  ['2^60 as a number', serializers, 'query parameter refused'],
  ['an id of ..', serializers, 'path parameter refused'],
  ['NaN as an id', serializers, 'path parameter refused'],
  ['a missing id', client, 'invalid parameters are refused before anything is sent'],
  ['two credentials', client, 'options refused'],
  ['a key that is empty or has a line feed', client, 'options refused'],
  ['a key that is renewed', auth, 'concurrent calls share one call'],
  ['a mocked fetch', client, 'a client calls the public platform by default'],
  ['a middleware', client, 'middlewares of openapi-fetch see requests without the credential'],
  ['an observer', 'packages/api/src/fetch/with-observer.test.ts', 'outside of withRetry: one request and one response'],
  ['a dispatcher', here, 'a dispatcher reaches fetch, without its own Request'],
  ['a proxy', 'tests/src/network/proxy.test.ts', 'a proxy with credentials passes on the requests of %s'],
  ['traces', 'packages/api/src/fetch/with-observer.test.ts', 'a header that an observer sets'],
  ['2,506 zones', 'tests/src/client/paginate.test.ts', '10,000 zones that do not change take 11 requests'],
  ['50 zones at once', 'packages/api/tests/limiter-simulation.test.ts', 'no 429, and the permitted rate is used'],
  ['35 calls of a zone', suite, 'keeps the rate limit'],
  ['a resumed read', readLogs, 'a read resumes from its token'],
  ['30 % of the responses broken', simulation, 'each row that is visible at the first request is read once'],
  ['batches', readme, "['copy-rows'"],
  ['Bun', 'tests/src/client/runtimes.ts', "name: 'Bun'"],
  ['Deno', 'tests/src/client/runtimes.ts', "name: 'Deno'"],
  ['CommonJS', release, 'require() works on the oldest Node that supports it'],
  ['types with every strict option', release, 'the types compile with %s in %s, no library check left out'],
  ['1,000,000 rows of version 1', 'bench/src/measurements/client-logs.ts', 'peak at'],
  ['1,000,000 rows of version 2', 'bench/src/measurements/client-logs.ts', 'peak at'],
  ['a short key', client, 'a short credential does not eat words'],
  ['undici.fetch', client, 'the fetch of the package undici works'],
  ['port 1', here, 'a port that fetch refuses is named as the cause'],
  ['JSON.stringify of a zone with a bigint', client, 'long integers are exact in both directions'],
  ['ids of fixtures', 'packages/emulator/src/emulator.test.ts', 'the options for a client'],
  ['undefined in a query', 'packages/api/src/types.test.ts', 'params: { query: { search } }'],
  ['a signal in the query of readLogs', readLogs, 'the signal ends the read with its reason'],
  ['an abort within a page', readLogs, 'the signal ends the read at the next row, also within a page'],
  ['no code from strings', 'packages/api/tests/bundle.test.ts', 'do not contain the contract'],
  [
    '30 pages of the emulator',
    'packages/emulator/src/emulator.test.ts',
    'the default emulator and readLogs work together',
  ],
  ['an object in the query', serializers, 'must be text, a number, a Date or a list of these'],
  ['ListPage in Python', release, 'both layers of each contract are entries, for generators of other languages'],
]

test('each thing that users try has its test', () => {
  const root = join(import.meta.dirname, '../../..')
  const absent = tried.filter(([, file, title]) => !readFileSync(join(root, file), 'utf8').includes(title))
  expect(absent).toEqual([])
})

test('a dispatcher reaches fetch, without its own Request', async () => {
  const sent: unknown[] = []
  const fetch = async (...[, init]: Parameters<typeof globalThis.fetch>) => {
    sent.push(Object(init).dispatcher)
    return Response.json([])
  }
  const dispatcher = {}
  await createManagementClient({ fetch, requestInitExt: { dispatcher } }).GET('/pullzone')
  expect(sent).toEqual([dispatcher])
})

test('a port that fetch refuses is named as the cause', async () => {
  const call = createManagementClient({ baseUrl: 'http://127.0.0.1:1', retry: false }).GET('/pullzone')
  await expect(call).rejects.toMatchObject({ kind: 'network', cause: { cause: { message: 'bad port' } } })
})
