import { contracts, operations } from '@cdn/api/contract'
import { createEmulator, type EmulatorOptions, implemented } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { createPlan } from '../../runner/plan.ts'
import { runCheck } from '../../runner/run-check.ts'
import { sessionOn } from '../../targets/emulator.ts'
import { probeCheck } from './probe.ts'
import { allProbes, probes } from './probes.ts'
import { observedByChecks, unobservable } from './unobservable.ts'

const signal = new AbortController().signal
const unspecified = Object.values(contracts).flatMap((contract) => contract.unspecified.map(({ id }) => id))

async function observe(point: string, variants: NonNullable<EmulatorOptions['variants']> = {}, seed = 1) {
  const probe = allProbes.find(({ points }) => points.includes(point))
  const check = probe ? probeCheck(probe) : createPlan().checks.find(({ id }) => id === observedByChecks[point])
  if (!check) throw new Error(`no probe or check observes ${point}`)
  const emulator = await createEmulator({ variants, seed })
  const { result, observations } = await runCheck(check, sessionOn(emulator), { signal })
  expect(result).toMatchObject({ outcome: 'pass' })
  return observations.find(({ id }) => id === point)?.value
}

test('every point that is unspecified has a probe, a check that records it, or a reason why none can observe it', () => {
  const looked = new Set([...allProbes.flatMap(({ points }) => points), ...Object.keys(observedByChecks)])
  const excused = new Set(Object.keys(unobservable))
  // A new area has no probes. Once the emulator has a handler for an operation, this test requires its probes.
  const later = operations.filter(({ name }) => !implemented.has(name))
  const isLater = (id: string) => later.some((operation) => id.startsWith(`${operation.interface}.${operation.name}.`))
  expect(unspecified.filter((id) => !looked.has(id) && !excused.has(id) && !isLater(id))).toEqual([])
  expect(unspecified.filter((id) => looked.has(id) && excused.has(id))).toEqual([])
  expect([...excused].filter((id) => !unspecified.includes(id))).toEqual([])
  const checks = createPlan().checks.map(({ id }) => id)
  expect(Object.values(observedByChecks).filter((id) => !checks.includes(id))).toEqual([])
})

test('probes have unique ids and cover no requirement', () => {
  const ids = [...createPlan().checks, ...probes].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(probes.filter(({ requirements, source }) => requirements.length > 0 || source === 'spec')).toEqual([])
})

test('a probe declares its writes and its use of the rate limit', () => {
  const effects = new Map(allProbes.map(({ name, effect, burst }) => [name, [effect, burst === true]]))
  expect(effects.get('management.add-allowed-referrer.bearer')).toEqual(['write', false])
  expect(effects.get('management.delete-watermark.absent-watermark')).toEqual(['destructive', false])
  expect(effects.get('logging.rate-limit.steady')).toEqual(['read', true])
  expect(effects.get('logging.query-logs.sample')).toEqual(['read', false])
})

test.each<[string, NonNullable<EmulatorOptions['variants']>, unknown, unknown]>([
  ['management.add-allowed-referrer.bearer', { bearerOnKeyOperation: 'accepted' }, 401, 204],
  [
    'management.add-allowed-referrer.success',
    { addSuccess: 201 },
    expect.objectContaining({ status: 204 }),
    expect.objectContaining({ status: 201 }),
  ],
  [
    'management.add-allowed-referrer.hostname-twice',
    { addTwice: 'refused' },
    { status: 204, kept: 1 },
    { status: 400, kept: 1 },
  ],
  ['management.add-allowed-referrer.content-type', { wrongContentType: 'accepted' }, 400, 204],
  ['management.remove-allowed-referrer.absent', { removeAbsent: 404 }, 204, 404],
  ['management.delete-watermark.absent-watermark', { deleteAbsentWatermark: 404 }, 204, 404],
  ['logging.query-logs.unknown-zone', { unknownZone: 404 }, 403, 404],
  [
    'logging.query-logs.parameters',
    { unknownParameter: 'refused' },
    { 'unknown parameter': 200 },
    { 'unknown parameter': 400 },
  ],
  ['logging.query-logs.timestamp-style', { timestampStyle: '+00:00' }, 'Z', '+00:00'],
  ['logging.query-logs.null-fields', { nullFields: 'null' }, 'omitted', 'null'],
  ['logging.query-logs.request-ids', { requestIds: 'some shared' }, 'unique', 'some shared'],
  ['logging.query-logs.empty-page', { emptyPage: 'null' }, 'array', 'null'],
  ['logging.query-logs.page-cap', { pageCap: 1000 }, 10_000, 1000],
  ['logging.query-logs.future-to', { futureTo: 'clamped' }, 'kept', 'clamped'],
  ['logging.query-logs.tie-order', { tieOrder: 'stable' }, 'shuffled', 'stable'],
  [
    'logging.authentication.both-credentials',
    { bothCredentials: 'both must be valid' },
    { 'valid key, invalid token': 200 },
    { 'valid key, invalid token': 403 },
  ],
  [
    'logging.authentication.both-credentials-token',
    { bothCredentials: 'key decides' },
    { 'invalid key, valid token': 200 },
    { 'invalid key, valid token': 403 },
  ],
  ['logging.read-log-file.end', { fileEnd: 'inclusive' }, 'exclusive', 'inclusive'],
  ['logging.read-log-file.past-end', { filePastEnd: 200 }, 204, 200],
  ['logging.read-log-file.old-day', { fileDay: 'empty' }, 400, 200],
  [
    'logging.read-log-file.error-body',
    { fileErrorBody: 'text' },
    expect.objectContaining({ body: 'JSON' }),
    { status: 404, body: 'text' },
  ],
  ['logging.rate-limit.headers', { retryAfter: 'present' }, [], ['retry-after']],
  ['logging.rate-limit.buckets', { rateBuckets: 'one each' }, 'shared', 'one each'],
  ['logging.rate-limit.window', { rateWindow: 'fixed' }, 'sliding', 'fixed'],
  ['logging.rate-limit.window', { rateWindow: 'bucket' }, 'sliding', 'bucket'],
  ['logging.rate-limit.refused-requests', { refusedRequests: 'counted' }, 'not counted', 'counted'],
])('%s tells %j apart', async (point, variant, right, other) => {
  expect(await observe(point)).toEqual(right)
  expect(await observe(point, variant)).toEqual(other)
})

test('a probe that gets an unexpected answer is skipped and never fails', async () => {
  const probe = allProbes.find(({ name }) => name === 'logging.query-logs.body')
  if (!probe) throw new Error('no such probe')
  const session = { ...sessionOn(await createEmulator()), fetch: async () => new Response('<html>') }
  const { result } = await runCheck(probeCheck(probe), session, { signal })
  expect(result.outcome).toBe('skip')
  expect(result.message).toContain('nothing could be observed')
})
