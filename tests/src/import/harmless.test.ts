/** A foreign contract is harmless: it removes nothing from the spec, and a live run sends only reviewed operations. */
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { compile, runIn } from '../run-in.ts'

const json = (schema: object) => ({ description: 'Fine.', content: { 'application/json': { schema } } })
const path = (name: string, type: string) => ({ name, in: 'path', required: true, schema: { type } })
const key = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'AccessKey' } } }
const fine = { responses: { '200': json({ type: 'object' }), '401': { description: 'Refused.' } } }

function contract(title: string, paths: object): string {
  const head = { openapi: '3.0.3', info: { title, version: '1' }, servers: [{ url: 'https://twin.invalid/v1' }] }
  // Twin declares a key and requires it nowhere; the import assumes it.
  return JSON.stringify({ ...head, ...(title === 'Zones' && { security: [{ key: [] }] }), paths, components: key })
}

/**
 * Another interface with the same areas, paths and names as the platform's operations. All operations are reviewed except those
 * of `/new`.
 */
const twin = contract('Twin', {
  '/pullzone/{id}': {
    parameters: [path('id', 'integer')],
    get: { ...fine, tags: ['Pull Zone'], summary: 'Get pull zone', 'x-effect': 'read' },
  },
  '/pullzone/{id}/addAllowedReferrer': {
    parameters: [path('id', 'integer')],
    post: { ...fine, tags: ['Pull Zone'], summary: 'Add allowed referrer', 'x-effect': 'write' },
  },
  '/watermark': {
    delete: { ...fine, tags: ['Stream Video Library'], summary: 'Delete watermark', 'x-effect': 'destructive' },
  },
  '/pullzones': { get: { ...fine, tags: ['Pull Zone'], summary: 'List pull zones', 'x-effect': 'read' } },
  '/new': {
    get: { ...fine, tags: ['New'], summary: 'Get new things' },
    post: { ...fine, tags: ['New'], summary: 'Create new thing' },
  },
})

/** A foreign contract of the platform itself. */
const zones = contract('Zones', {
  '/pullzone/{zoneId}': {
    get: {
      summary: 'Get zone',
      parameters: [path('zoneId', 'integer'), { name: 'detail', in: 'query', schema: { type: 'boolean' } }],
      responses: {
        '200': json({
          type: 'object',
          properties: {
            Id: { type: 'string' },
            OriginUrl: { type: 'string' },
            ZoneSecurityEnabled: { type: 'boolean' },
            MonthlyBandwidthLimit: { type: 'integer', format: 'int64' },
          },
        }),
        '404': { description: 'None.' },
      },
    },
  },
  '/pullzone/{zoneId}/addAllowedReferrer': {
    post: { summary: 'Add', parameters: [path('zoneId', 'integer')], responses: { '200': { description: 'Added.' } } },
  },
  '/zone-report': { get: { ...fine, summary: 'Get report' } },
  '/pullzone': {
    post: { ...fine, summary: 'Create zone', tags: ['Pull Zone'], 'x-effect': 'write' },
  },
})

let sandbox: Sandbox
let said: string
let saidOfTwin: string
beforeAll(() => {
  sandbox = createSandbox()
  saidOfTwin = importAs('twin', twin)
  said = importAs('zones', zones, '--into', 'management')
}, 180_000)
afterAll(() => sandbox.close())

function importAs(name: string, text: string, ...options: string[]): string {
  sandbox.write(`dist/${name}.json`, text)
  const file = join(sandbox.folder, 'dist', `${name}.json`)
  const { code, output } = runIn(sandbox.folder, '.', [
    'specs/tools/scripts/import-contract.ts',
    file,
    '--as',
    name,
    ...options,
  ])
  expect(code, output).toBe(0)
  return output
}

test('into an interface of the spec: open points are filled, contradictions are listed', () => {
  expect(said).toContain('2 operations are added to management')
  expect(said).toContain(
    'These exist and gain what they leave open: GET /pullzone/{id}, POST /pullzone/{id}/addAllowedReferrer.',
  )
  expect(said.split('\n').filter((line) => line.startsWith('Contradiction'))).toEqual([
    'Contradiction, the existing statement stays: GET /pullzone/{id} 200 body field Id is number here and string there.',
    'Contradiction, the existing statement stays: POST /pullzone/{id}/addAllowedReferrer succeeds with 204 here and with 200 there.',
  ])
  const program = `import { createManagementClient } from '@cdn/api'
const client = createManagementClient({ accessKey: 'k' })
const { data } = await client.GET('/pullzone/{id}', { params: { path: { id: 1 }, query: { detail: true } } })
data?.OriginUrl?.toUpperCase()
export const limit: number | bigint | undefined = data?.MonthlyBandwidthLimit
data?.AllowedReferrers?.map((hostname) => hostname.length)
// @ts-expect-error: the supplement of this repository wins
data?.Id.toUpperCase()
`
  sandbox.write('tests/program.ts', program)
  expect(compile(sandbox.folder, ['tests/program.ts'], sandbox.write)).toBe('')
})

test('a declared credential that no operation requires is assumed, and sent', () => {
  expect(saidOfTwin).toContain('It declares key, but no operation requires it. It is assumed for all operations')
  expect(sandbox.read('specs/twin/openapi.yaml')).toMatch(/^x-assumed:\n {2}- security\n|^x-assumed: \[security\]$/m)
  const dryRun = runIn(sandbox.folder, '.', ['apps/cli/src/bin.ts', 'twin', 'pull-zone', 'list', '--dry-run'])
  expect(dryRun.output).toContain('"AccessKey: $CDN_TWIN_ACCESS_KEY"')
})

interface Requests {
  readonly counts: Readonly<Record<string, number>>
  readonly strays: readonly string[]
  readonly keyed: Readonly<Record<string, number>>
}

function liveRun(allow: string): Requests {
  const { code, stdout, output } = runIn(sandbox.folder, 'tests', ['src/import/live-requests.ts', allow])
  expect(code, output).toBe(0)
  return JSON.parse(defined(stdout.trimEnd().split('\n').at(-1)))
}

/** Returns the operations that servers received, without the reads of the preflight. */
const sent = ({ counts }: Requests) => Object.keys(counts).filter((name) => !/\.GET \/(\?.*)?$/.test(name))
const sentToTwin = (requests: Requests) =>
  sent(requests)
    .filter((name) => name.startsWith('twin.'))
    .toSorted()
/** Reads with odd input are reads. */
const reviewedReads = ['twin.get-pull-zone read', 'twin.list-pull-zones read']
/** PROPFIND is a safe method (RFC 4918, section 9.1). */
const isRead = (name: string) => name.endsWith(' read') || name.includes('.PROPFIND ')

test('a read-only live run sends reviewed reads, each to its own server with its own credential', () => {
  const requests = liveRun('')
  expect(sent(requests).filter((name) => !isRead(name))).toEqual([])
  expect(sentToTwin(requests)).toEqual(reviewedReads)
  expect(requests.counts['management.get-pull-zone read']).toBeGreaterThan(5)
  expect(requests.keyed['twin']).toBeGreaterThan(0)
  expect(requests.strays).toEqual([])
}, 300_000)

test('one with write permission also sends writes with an entry, and none to the other server', () => {
  const requests = liveRun('write,destructive')
  expect(
    sent(requests)
      .filter((name) => !isRead(name))
      .toSorted(),
  ).toEqual([
    'management.add-allowed-referrer write',
    'management.delete-watermark destructive',
    'management.put-watermark write',
    'management.remove-allowed-referrer write',
  ])
  expect(sentToTwin(requests)).toEqual(reviewedReads)
  expect(requests.strays).toEqual([])
}, 300_000)
