import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Action, bundle, readOverlay } from '@cdn/specs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { full, reportOf } from '../report/samples.ts'
import { writeReports } from '../report/write.ts'
import { adopt } from './adopt.ts'
import { parseAdoptOptions } from './options.ts'

const folder = mkdtempSync(join(tmpdir(), 'adopt-'))
const specs = dirname(fileURLToPath(import.meta.resolve('@cdn/specs')))
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
  const applied = {} as Record<'management' | 'logging', Record<string, unknown>>

  beforeAll(async () => {
    await writeReports(report, join(folder, 'live'))
    await adopt({ from: join(folder, 'live'), out: join(folder, 'specs') })
    for (const name of ['management', 'logging'] as const) {
      // Redocly applies what lies where the supplement does; the copy holds the document and the observed overlay alone.
      const copy = join(folder, 'copy', name)
      cpSync(join(specs, name), copy, { recursive: true })
      cpSync(join(folder, 'specs', name, 'observed.overlay.yaml'), join(copy, 'supplement.overlay.yaml'))
      applied[name] = await bundle(name, 'full', join(folder, 'copy'))
    }
  }, 60_000)

  test('each action names where it comes from', async () => {
    const { overlay, actions } = await readOverlay('management', join(folder, 'copy'))
    expect(overlay).toBe('1.0.0')
    expect(actions.length).toBeGreaterThan(2)
    const sources = actions.map((action: Action) => action['x-source'])
    expect(new Set(sources)).toEqual(new Set(['observed live 2026-01-02']))
  })

  test('they apply to the document: statuses that it does not list, bodies that it does not show, records', () => {
    const { paths, components } = applied.management as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
      components: { schemas: Record<string, unknown> }
    }
    const add = Object.keys(paths['/pullzone/{id}/addAllowedReferrer']?.['post']?.responses ?? {})
    expect(add.sort()).toEqual(['201', '2XX', '401', '404', '422', 'default'])
    expect(Object.keys(paths['/videolibrary/{id}/watermark']?.['delete']?.responses ?? {})).toContain('403')
    expect(components.schemas).toHaveProperty('PullZone.properties.Id')
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

  test('what the document says of a status stays', () => {
    const path = ['paths', '/videolibrary/{id}/watermark', 'delete', 'responses', '401', 'description']
    expect(applied.management).toHaveProperty(path, 'Request authorization failed.')
  })
})

test('as a baseline, the observations of a run drift in nothing against itself', async () => {
  await writeReports(report, join(folder, 'live'))
  const file = join(folder, 'baselines', 'live.json')
  expect(await adopt({ from: join(folder, 'live'), baseline: file })).toEqual([file])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ target: 'live', observedAt: report.startedAt })
})

test.each([
  ['a folder without a report', async () => adopt({ from: join(folder, 'none') }), 'the report cannot be read'],
  [
    'the mock',
    async () => {
      await writeReports(reportOf([], { target: { kind: 'mock' } }), join(folder, 'mock'))
      return adopt({ from: join(folder, 'mock') })
    },
    'The mock makes up what it answers',
  ],
  [
    'a run without observations',
    async () => {
      await writeReports({ ...full, observations: [] }, join(folder, 'empty'))
      return adopt({ from: join(folder, 'empty') })
    },
    'observed nothing',
  ],
  ['an unknown option', async () => parseAdoptOptions(['--form', 'x']), 'adopt knows --from, --out and --baseline'],
  ['two places', async () => parseAdoptOptions(['--out', 'x', '--baseline', 'y']), 'give one of them'],
])('%s is refused in one sentence', async (_, doing, sentence) => {
  await expect(doing()).rejects.toThrow(sentence)
})
