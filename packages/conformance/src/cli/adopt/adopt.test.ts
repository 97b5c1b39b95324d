import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toRecord } from '@cdn/kit/record'
import { type Action, bundleContract, readOverlay, specsFolder } from '@cdn/specs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { full, reportOf } from '../../report/samples.ts'
import { writeReports } from '../../report/write.ts'
import { toOverlay } from './adopt.ts'
import { parseAdoptOptions } from './options.ts'

const folder = mkdtempSync(join(tmpdir(), 'adopt-'))
const specs = specsFolder
afterAll(() => rmSync(folder, { recursive: true }))

const seen = (id: string, value: unknown) => ({ id, value, drift: false })
const errorSchema = { type: 'object', properties: { error: { type: 'object' } } }
const observations = [
  seen('management.add-allowed-referrer.success', { status: 201, body: 'empty' }),
  seen('management.add-allowed-referrer.error-statuses', { 'absent zone': 404, 'no JSON': 422 }),
  seen('management.delete-watermark.scope-missing-status', [403, 401]),
  seen('management.pull-zone.fields', { type: 'object', properties: { Id: { type: 'integer' } } }),
  seen('logging.query-logs.body', { status: 200, schema: errorSchema }),
  seen('logging.errors.code-place', { place: '/error/code', status: 400, body: 'JSON', schema: errorSchema }),
  seen('logging.log-entry.fields', { cacheStatus: { type: 'string' } }),
  seen('logging.rate-limit.window', 'sliding'),
]
const report = reportOf([], { target: { kind: 'live' }, observations })

describe('overlays', () => {
  const applied: { management?: unknown; logging?: unknown } = {}

  beforeAll(async () => {
    await writeReports(report, join(folder, 'live'))
    await toOverlay({ from: join(folder, 'live'), out: join(folder, 'specs') })
    for (const name of ['management', 'logging'] as const) {
      // Redocly applies the observed overlay in place of the supplement. So the copy has only the spec and the observed
      // overlay.
      const copy = join(folder, 'copy', name)
      cpSync(join(specs, name), copy, { recursive: true })
      cpSync(join(folder, 'specs', name, 'observed.overlay.yaml'), join(copy, 'supplement.overlay.yaml'))
      applied[name] = await bundleContract(name, 'full', join(folder, 'copy'))
    }
  }, 300_000)

  test('each action names its source', async () => {
    const { overlay, actions } = await readOverlay('management', join(folder, 'copy'))
    expect(overlay).toBe('1.0.0')
    expect(actions.length).toBeGreaterThan(2)
    const sources = actions.map((action: Action) => action['x-source'])
    expect(new Set(sources)).toEqual(new Set(['observed live 2026-01-02']))
  })

  test('they apply to the spec: statuses that it does not list, bodies that it does not show, records', () => {
    const statusesOf = (path: string, method: string) => {
      const steps = ['paths', path, method, 'responses']
      return Object.keys(steps.reduce((at, step) => toRecord(at[step]), toRecord(applied.management)))
    }
    const add = statusesOf('/pullzone/{id}/addAllowedReferrer', 'post')
    expect(add.sort()).toEqual(['201', '2XX', '401', '404', '422', 'default'])
    expect(statusesOf('/videolibrary/{id}/watermark', 'delete')).toContain('403')
    expect(applied.management).toHaveProperty('components.schemas.PullZone.properties.Id')
    const logging = JSON.stringify(applied.logging)
    expect(logging).toContain('"LogEntry"')
    expect(applied.logging).toHaveProperty([
      'paths',
      '/v2/pullzones/{pullZoneId}/logs',
      'get',
      'responses',
      '400',
      'content',
    ])
  })

  test('the description of a status in the spec stays', () => {
    const path = ['paths', '/videolibrary/{id}/watermark', 'delete', 'responses', '401', 'description']
    expect(applied.management).toHaveProperty(path, 'Request authorization failed.')
  })
})

test('a run has no drift against its own observations as baseline', async () => {
  await writeReports(report, join(folder, 'live'))
  const file = join(folder, 'baselines', 'live.json')
  expect(await toOverlay({ from: join(folder, 'live'), baseline: file })).toEqual([file])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ target: 'live', observedAt: report.startedAt })
})

test.each([
  ['a folder without a report', async () => toOverlay({ from: join(folder, 'none') }), 'the report cannot be read'],
  [
    'the mock',
    async () => {
      await writeReports(reportOf([], { target: { kind: 'mock' } }), join(folder, 'mock'))
      return toOverlay({ from: join(folder, 'mock') })
    },
    'The mock makes up its answers',
  ],
  [
    'a run without observations',
    async () => {
      await writeReports({ ...full, observations: [] }, join(folder, 'empty'))
      return toOverlay({ from: join(folder, 'empty') })
    },
    'observed nothing',
  ],
  [
    'a baseline in a file instead of a folder',
    async () => {
      await writeReports(report, join(folder, 'live'))
      return toOverlay({ from: join(folder, 'live'), baseline: join(folder, 'live/report.json/baseline.json') })
    },
    /^Cannot write .*baseline\.json: a .* Choose a writable path\.$/,
  ],
  ['an unknown option', async () => parseAdoptOptions(['--form', 'x']), 'adopt knows --from, --out and --baseline'],
  ['two places', async () => parseAdoptOptions(['--out', 'x', '--baseline', 'y']), 'give one of them'],
])('%s is refused in one sentence', async (_, doing, sentence) => {
  await expect(doing()).rejects.toThrow(sentence)
})
