/**
 * `node packages/api/tests/tried.ts`: prints typical uses of the client with the results of their tests in the last test run. The name
 * of a test states the result. Exit code 1 if a test failed or no longer exists.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Each use with a part of the name of its tests. */
const tried: Readonly<Record<string, string>> = {
  'a read': 'reads a pull zone',
  '404': 'resolves to refusals, and unwrap throws them',
  '401': 'a 401 says if no credential is configured',
  '403': 'a 403 says if no credential is configured',
  '400 with field and code':
    'an error body resolves, and unwrap turns it into an ApiError: {"ErrorKey":"pullZone.not_found"',
  'a time-out per call': 'false switches each off, per client and per call',
  'a time-out by signal': 'an aborted call rejects with the reason of its signal',
  'an idle time-out': 'ends a call that hangs, and one that its caller aborts',
  '429 with Retry-After': 'Retry-After 2',
  'a write at 503': 'a read is repeated after 503, a write is not',
  'a refused port': 'the cause of a broken connection is kept, and the message includes its code',
  'an unknown host': 'a write that was provably never sent is repeated, with its whole body: Node, no such host',
  '502 as HTML': 'unwrap turns it into an ApiError: <html>Bad Gateway</html>',
  '200 as HTML': 'an unusable response rejects with a TransportError: body',
  'a redirect': 'a redirect is one request to the configured origin',
  'a limit on the body': 'a body that is longer than the limit is an error, unless it is read as a stream',
  'ids up to 2^63': '64-bit ids are sent exactly',
  '2^60 as a number': 'query parameter refused: { offset: 1152921504606847000 }',
  'an id of ..': 'path parameter refused: parent',
  'NaN as an id': 'path parameter refused: NaN',
  'a missing id': 'invalid parameters are refused before anything is sent',
  'two credentials': 'options refused: 3',
  'a key that is empty': 'options refused: 4',
  'a key with a line feed': 'options refused: 5',
  'a key that is renewed': 'concurrent calls share one call',
  'a mocked fetch': 'a client calls the public platform by default',
  'a middleware': 'middlewares of openapi-fetch see requests without the credential',
  'an observer': 'outside of withRetry: one request and one response',
  'a dispatcher': 'a dispatcher reaches fetch, without its own Request',
  'a proxy': 'a proxy with credentials passes on the requests of',
  traces: 'a header that an observer sets',
  '10,000 zones': '10,000 zones that do not change take 11 requests',
  '100 callers of 5 zones': 'no 429, and the permitted rate is used',
  '35 calls of a zone': 'keeps the rate limit',
  'a resumed read': 'a read resumes from its token',
  '30 % of the responses broken': 'each row that is visible at the first request is read once',
  batches: 'the example copy-rows runs',
  Bun: 'in Bun reads a pull zone',
  Deno: 'in Deno reads a pull zone',
  CommonJS: 'require() works on the oldest Node that supports it',
  'types with every strict option': 'the types compile with',
  'a short key': 'a short credential does not eat words',
  'undici.fetch': 'the fetch of the package undici works',
  'port 1': 'a port that fetch refuses is named as the cause',
  'JSON with a bigint': 'long integers are exact in both directions',
  'ids of fixtures, and 30 pages of the emulator': 'the default emulator and readLogs work together',
  'undefined in a query': 'types of the calls',
  'a signal in the query of readLogs, also within a page': 'the signal ends the read at the next row with its reason',
  'no code from strings': 'bundles of programs that only call the platform do not contain the contract',
  'an object in the query': 'query parameter refused: { filter: { a: 1 } }',
  'ListPage in Python': 'both layers of each contract are entries, for generators of other languages',
}

interface Results {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

const root = join(import.meta.dirname, '../../..')
const tests = globSync('{tests,packages/*}/.vitest/results.json', { cwd: root }).flatMap((file) => {
  const { testResults }: Results = JSON.parse(readFileSync(join(root, file), 'utf8'))
  return testResults.flatMap(({ assertionResults }) => assertionResults)
})
const outcomes = Object.entries(tried).map(([what, name]) => {
  const named = tests.filter(({ fullName }) => fullName.includes(name))
  const passed = named.filter(({ status }) => status === 'passed').length
  console.log(`${what}: ${name}: ${named.length === 0 ? 'NO TEST' : `${passed} of ${named.length} passed`}`)
  return named.length > 0 && passed === named.length
})
console.log(`${outcomes.filter(Boolean).length} of ${outcomes.length} end as their tests say`)
process.exitCode = outcomes.every(Boolean) ? 0 : 1
