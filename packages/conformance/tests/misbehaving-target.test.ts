/** Tests targets that misbehave during a run. The run continues, reports a reason for each outcome, and writes no secret. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { conformance, readReport, startConformance } from './support/process.ts'

const folder = temporaryFolder()

const env = { KEY: 'canary-key-0000', TOKEN: 'canary-token.canary-claims.canary-signature' }
const fixtures = {
  ...{ libraryId: '1', absentLibraryId: '2', zoneId: '3', absentZoneId: '4', watermarkFile: 'mark.png' },
  ...{ loggedZoneId: '5', otherLoggedZoneId: '6', unloggedZoneId: '7', suspendedZoneId: '8', disabledZoneId: '9' },
  credentials: { accessKey: 'KEY', bearer: 'TOKEN' },
}
writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(fixtures))
writeFileSync(join(folder, 'mark.png'), 'image')

type Respond = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** Number of requests of the preflight: one to each URL, three with credentials, and one for each id. */
const preflightRequests = 2 + 3 + 9

/** Starts a server for both interfaces that behaves well only during the preflight. */
async function serve(respond: Respond) {
  let polite = 0
  let count = 0
  const server = createServer((request, response) => {
    if (polite++ >= preflightRequests) return respond(request, response, count++)
    const id = /^\/(?:pullzone|videolibrary)\/(\d+)$/.exec(String(request.url))?.[1]
    if (id === fixtures.absentZoneId || id === fixtures.absentLibraryId) response.statusCode = 404
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(id ? { Id: Number(id) } : { data: [] }))
  })
  const url = await listen(server)
  const args = ['run', '--target', 'live', '--management-url', url, '--logging-url', url]
  return { server, count: () => count, args: [...args, '--fixtures', 'fixtures.json'] }
}

const long = JSON.stringify({ data: 'x'.repeat(10_000_000) })
const json = { 'content-type': 'application/json' }

const visitor = 'Bearer canary-visitor-credential'
const line = [...Array.from({ length: 14 }, (_, index) => `f${index}`), visitor].join('|')

/** The fields that the contract marks as secrets of the account (supplement), and one whose name is that of a credential. */
const account = Object.fromEntries(
  ['ApiKey', 'ReadOnlyApiKey', 'AWSSigningSecret', 'LogForwardingToken', 'Password'].map((name) => [
    name,
    `canary-account-${name}`,
  ]),
)

/** Responds with the credentials of the request, the credential of a visitor, and the secrets of the account. */
const echo: Respond = (request, response) => {
  const row = { timestamp: new Date().toISOString(), authorizationHeader: visitor, cacheStatus: 'ODD' }
  const sent = { ...request.headers, url: request.url }
  const page = { ...account, data: [row], pagination: {}, query: {}, echo: sent, inner: JSON.stringify([row, account]) }
  const isFile = request.url?.includes('.log')
  response.setHeader('x-echo', String(request.headers['accesskey'] ?? request.headers['authorization']))
  response.writeHead(200, isFile ? { 'content-type': 'text/plain' } : json)
  response.end(isFile ? `${line}\n${line}\n` : JSON.stringify(page))
}

const answers: Readonly<Record<string, Respond>> = {
  'an echo': echo,
  html: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>'),
  'another echo': echo,
  reset: (request) => request.socket.resetAndDestroy(),
  long: (_, response) => response.writeHead(200, json).end(long),
  'one more echo': echo,
  'invalid UTF-8': (_, response) => response.writeHead(200, json).end(Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x22])),
  redirect: (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
}

test(`${Object.keys(answers).join(', ')}: the run continues, every outcome has its reason, and no secret is written`, async () => {
  const all = Object.values(answers)
  const { server, args, count } = await serve((request, response, index) =>
    all[index % all.length]?.(request, response, index),
  )
  const summary = join(folder, 'answers', 'job-summary.md')
  const options = ['--allow', 'write,destructive', '--budget', '300', '--out', 'answers/out']
  const actions = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
  const { code, out, err } = await conformance(folder, [...args, ...options], { ...env, ...actions })
  server.close()
  server.closeAllConnections()
  const { checks, status } = readReport(folder, 'answers/out')
  expect(status, err).toBe('complete')
  expect([1, 2]).toContain(code)
  expect(count()).toBeGreaterThan(100)
  // The sweep is not part of the budget.
  expect(count()).toBeLessThanOrEqual(500)
  expect(checks.filter(({ outcome }) => outcome === 'fail').length).toBeGreaterThan(10)
  expect(checks.filter(({ outcome, message }) => outcome !== 'pass' && !message)).toEqual([])
  expect(checks.filter(({ message }) => message?.includes('fault of the suite'))).toEqual([])
  expect(statSync(join(folder, 'answers/out/report.json')).size).toBeLessThan(2_000_000)
  const written = readdirSync(join(folder, 'answers'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')] as const)
  expect(written.map(([name]) => name)).toEqual(
    expect.arrayContaining(['report.json', 'out.jsonl', 'job-summary.md', 'index.html']),
  )
  // The report shows these bodies. If it did not, no secret could leak, and the test would prove nothing.
  expect(Object.fromEntries(written)['report.json']).toMatch(/ApiKey\W+\[redacted\]/)
  const texts = [...written, ['stdout', out] as const, ['stderr', err] as const]
  const leaks = texts.filter(([, text]) => /canary-(key|token|claims|signature|visitor|account)/.test(text))
  expect(leaks.map(([name, text]) => [name, /.{60}canary-.{60}/s.exec(text)?.[0]])).toEqual([])
}, 300_000)

test('an interruption ends a run against a silent target within seconds, with a report', async () => {
  const { server, args, count } = await serve(() => {})
  const running = startConformance(folder, [...args, '--out', 'silent/out'], env)
  while (count() === 0) await sleep(20)
  running.child.kill('SIGINT')
  const { code } = await running.ended
  server.closeAllConnections()
  server.close()
  expect(code).toBe(130)
  expect(readReport(folder, 'silent/out').status).toBe('interrupted')
}, 300_000)
