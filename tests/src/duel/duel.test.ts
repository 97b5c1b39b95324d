/** The rules of the comparison with other tools (`docs/peers.md`), without any of the tools. */
import { operations } from '@cdn/api/contract'
import { createEmulator } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { createArazzo } from '../../../bench/src/duel/arazzo.ts'
import { responseViolations } from '../../../bench/src/duel/prism.ts'
import type { Results } from '../../../bench/src/duel/results.ts'
import { furnish } from '../../../bench/src/duel/server.ts'
import { createExamples } from '../../../bench/src/duel/situations.ts'
import { failuresOf } from '../../../bench/src/duel/specmatic.ts'
import { figureOf, toTable } from '../../../bench/src/duel/table.ts'

test('a fault ends after the permitted number of requests', async () => {
  const emulator = await createEmulator()
  const count = furnish(emulator, 'F100 status 500 for a video library that does not exist', 2)
  const url = new URL(`videolibrary/${emulator.fixtures.absentLibraryId}`, emulator.managementUrl)
  const headers = { AccessKey: emulator.fixtures.credentials.accessKey }
  const statuses: number[] = []
  for (let request = 0; request < 4; request++) statuses.push((await emulator.fetch(url, { headers })).status)
  expect(statuses).toEqual([500, 500, 404, 404])
  expect(count()).toBe(4)
})

test('every operation has an example of a success, and the server gives the status of each example', async () => {
  const emulator = await createEmulator({ clock: 'real' })
  const examples = createExamples(emulator.fixtures)
  const successful = examples.filter(({ situation }) => situation === 'success').map(({ operation }) => operation.name)
  expect(successful).toEqual(operations.map(({ name }) => name))
  const wrong: string[] = []
  for (const { operation, situation, pathParameters, headers, query, requestBody, status } of examples) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters[name] ?? '')
    const base = operation.interface === 'management' ? emulator.managementUrl : emulator.loggingUrl
    const url = new URL(`${path.slice(1)}?${new URLSearchParams(query)}`, base)
    const body = requestBody?.mediaType.endsWith('json') ? JSON.stringify(requestBody.payload) : requestBody?.payload
    const response = await emulator.fetch(url, {
      method: operation.method.toUpperCase(),
      headers: { ...headers, ...(requestBody && { 'Content-Type': requestBody.mediaType }) },
      ...(body !== undefined && { body: String(body) }),
    })
    if (!String(response.status).startsWith(status.replaceAll('X', '')))
      wrong.push(`${operation.name} ${situation}: ${response.status} instead of ${status}`)
  }
  expect(wrong).toEqual([])
})

test('a workflow has one step per example', async () => {
  const { fixtures } = await createEmulator()
  const steps = createArazzo(fixtures).workflows.flatMap((workflow) => workflow.steps)
  expect(steps).toHaveLength(createExamples(fixtures).length)
})

const tool = { version: '1', namesSentence: false }
const result = (...problems: string[]) => ({ problems, requests: 10, seconds: 2 })
const results: Results = {
  sources: 'hash',
  replay: { a: { first: 'GET /' }, b: { first: 'GET /' }, c: { first: 'GET /' }, d: {}, e: { broken: 'no response' } },
  tools: {
    'this suite': { 1: { right: result(), a: result('late'), b: result() } },
    other: {
      1: { right: result('known'), a: result('known'), b: result('known'), c: result('new') },
      2: {
        right: result('rare'),
        b: result('rare', 'new'),
        'variants 1': result('rare', 'new'),
        'variants 2': result(),
      },
    },
  },
}

test('a tool detects a server by a problem that it does not report for the correct server with any seed', () => {
  const tools = [
    { ...tool, name: 'this suite', namesSentence: true },
    { ...tool, name: 'other' },
  ]
  // The server c was not examined by every tool.
  expect(figureOf(results, tools)).toBe(
    'this suite, spec and supplement 1 of 2; this suite, spec only 0 of 2; other 1 1 of 2',
  )
  const rows = toTable(results, tools).split('\n')
  const cells = rows.find((row) => row.startsWith('| other 1'))?.split(/ *\| */)
  expect(cells?.slice(1, -1)).toEqual(['other 1', '1 of 2', '1', '2', '1 of 2', '10', '2 s', 'no', '1, 2'])
  expect(rows).toContain(
    '5 servers replayed: 3 with a different response, 1 that do not start or do not respond (every client sees that, so the duel leaves them out), 1 without a different response. Examined by every tool: 2.',
  )
  expect(rows).toContain('- `b`, by other 1: Not examined by hand.')
})

test('reads the failed tests of a JUnit report of Specmatic', () => {
  const passed = '<testcase classname="T" name="C &gt; +ve  Scenario: GET /a -&gt; 200" time="0.1"></testcase>'
  const failed = `<testcase classname="T" name="C &gt; +ve  Scenario: GET /b -&gt; 200" time="0.1">
<failure message="Testing&#10;  &gt;&gt; RESPONSE.STATUS&#10;&#10;      R0002: HTTP status mismatch&#10;      Documentation: https://a&#10;      Specification expected status 200 but response contained status 500">`
  expect(failuresOf(passed + failed)).toEqual([
    'GET /b -&gt; 200: RESPONSE.STATUS R0002: HTTP status mismatch Specification expected status 200 but response contained status 500',
  ])
})

test('reads the violations of the response from a header of Prism, even if it is truncated', () => {
  const violation = (place: string) =>
    `{"location":["${place}","body","Id"],"severity":"Error","code":"type","message":"Response body property Id must be integer"}`
  expect(responseViolations(`[${violation('request')},${violation('response')},{"location":["resp`)).toEqual([
    ',"body","Id" Response body property Id must be integer',
  ])
  expect(responseViolations(null)).toEqual([])
})
