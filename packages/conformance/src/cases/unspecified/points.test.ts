import { contracts, operations } from '@cdn/api/contract'
import { createEmulator, type EmulatorOptions, implemented } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { createPlan } from '../../run/plan.ts'
import { runCheck } from '../../run/run-check.ts'
import { sessionOn } from '../../run/targets/emulator.ts'
import { pointChecks } from './points.ts'
import { observedByChecks, unobservable } from './unobservable.ts'

const signal = new AbortController().signal
const unspecified = Object.values(contracts).flatMap((contract) => contract.unspecified.map(({ id }) => id))

async function observe(point: string, variants: NonNullable<EmulatorOptions['variants']> = {}, seed = 1) {
  const [id = `unspecified.${point}`, observation = point] = observedByChecks[point] ?? extraPoints[point] ?? []
  const check = [...createPlan().checks, ...pointChecks].find((each) => each.id === id)
  if (!check) throw new Error(`no point or check observes ${point}`)
  const emulator = await createEmulator({ variants, seed })
  const { result, observations } = await runCheck(check, sessionOn(emulator), { signal })
  expect(result).toMatchObject({ outcome: 'pass' })
  return observations.find((each) => each.id === observation)?.value
}

/** Observations of checks at points that the contract does not list. */
const extraPoints: Readonly<Record<string, readonly [check: string, observation?: string]>> = {
  ...Object.fromEntries(
    ['timestamp-style', 'null-fields', 'request-ids', 'tie-order'].map((name) => [
      `logging.query-logs.${name}`,
      ['unspecified.logging.query-logs.sample'],
    ]),
  ),
  'logging.query-logs.page-cap': ['unspecified.logging.query-logs.bounds'],
  'logging.query-logs.future-to': ['unspecified.logging.query-logs.bounds'],
  'logging.read-log-file.end': ['unspecified.logging.read-log-file.lines'],
  'logging.read-log-file.past-end': ['unspecified.logging.read-log-file.lines'],
  'management.add-allowed-referrer.again': ['management.add-allowed-referrer.effect'],
  'management.remove-allowed-referrer.again': ['management.remove-allowed-referrer.effect'],
  'logging.query-logs.rate-limit': ['logging.rate-limit.429/query-logs'],
  'logging.rate-limit.buckets': ['logging.rate-limit.429/query-logs/idle'],
}

test('every point that is unspecified has a point that is observed, a check that records it, or a reason why none can observe it', () => {
  const looked = new Set(pointChecks.map(({ id }) => id.replace('unspecified.', '')))
  const recorded = Object.keys(observedByChecks)
  const excused = new Set(Object.keys(unobservable))
  // A new area has no point checks. Once the emulator has a handler for an operation, this test requires them.
  const later = operations.filter(({ name }) => !implemented.has(name))
  const isLater = (id: string) => later.some((operation) => id.startsWith(`${operation.interface}.${operation.name}.`))
  const isCovered = (id: string) => looked.has(id) || recorded.includes(id) || excused.has(id) || isLater(id)
  expect(
    unspecified.filter((id) => !isCovered(id)),
    'nothing observes these: state `unchecked` with the reason, or add a point',
  ).toEqual([])
  expect(unspecified.filter((id) => looked.has(id) && (excused.has(id) || recorded.includes(id)))).toEqual([])
  expect([...excused, ...recorded].filter((id) => !unspecified.includes(id))).toEqual([])
})

test.each(Object.entries(observedByChecks).filter(([id]) => unspecified.includes(id)))(
  '%s is recorded by %j',
  async (point) => {
    expect(await observe(point)).toBeDefined()
  },
)

test('pointChecks have unique ids and cover no requirement', () => {
  const ids = [...createPlan().checks, ...pointChecks].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(pointChecks.filter(({ requirements, source }) => requirements.length > 0 || source === 'spec')).toEqual([])
})

test('a point declares its writes', () => {
  const effects = new Map(pointChecks.map(({ id, effect }) => [id, effect]))
  expect(effects.get('unspecified.management.add-allowed-referrer.bearer')).toBe('write')
  expect(effects.get('unspecified.management.delete-watermark.error-body')).toBe('destructive')
  expect(effects.get('unspecified.logging.query-logs.sample')).toBe('read')
})

const containing = (part: object): unknown => expect.objectContaining(part)
const status = (value: number) => containing({ status: value })
const dataType = (type: string) => {
  const data: unknown = containing({ type })
  const schema = containing({ properties: containing({ data }) })
  return containing({ schema })
}

test.each<[string, NonNullable<EmulatorOptions['variants']>, unknown, unknown]>([
  ['management.add-allowed-referrer.bearer', { bearerOnKeyOperation: 'accepted' }, status(401), status(204)],
  ['management.add-allowed-referrer.success', { addSuccess: 201 }, status(204), status(201)],
  [
    'management.add-allowed-referrer.again',
    { addTwice: 'refused' },
    { status: 204, kept: 1 },
    { status: 400, kept: 1 },
  ],
  [
    'management.add-allowed-referrer.error-statuses',
    { wrongContentType: 'accepted' },
    containing({ 'body other Content-Type': 400 }),
    containing({ 'body other Content-Type': 204 }),
  ],
  ['management.remove-allowed-referrer.again', { removeAbsent: 404 }, { status: 204 }, { status: 404 }],
  ['management.delete-watermark.absent-watermark', { deleteAbsentWatermark: 404 }, { status: 204 }, { status: 404 }],
  ['logging.query-logs.unknown-zone', { unknownZone: 404 }, status(403), status(404)],
  ['logging.query-logs.parameters', { unknownParameter: 'refused' }, status(200), status(400)],
  ['logging.query-logs.timestamp-style', { timestampStyle: '+00:00' }, 'Z', '+00:00'],
  ['logging.query-logs.null-fields', { nullFields: 'null' }, 'omitted', 'null'],
  ['logging.query-logs.request-ids', { requestIds: 'some shared' }, 'unique', 'some shared'],
  ['logging.query-logs.body', { emptyPage: 'null' }, dataType('array'), dataType('null')],
  ['logging.query-logs.page-cap', { pageCap: 1000 }, 10_000, 1000],
  ['logging.query-logs.future-to', { futureTo: 'clamped' }, 'kept', 'clamped'],
  ['logging.query-logs.tie-order', { tieOrder: 'stable' }, 'shuffled', 'stable'],
  ['logging.authentication.both-credentials', { bothCredentials: 'both must be valid' }, status(200), status(403)],
  ['logging.authentication.both-credentials-token', { bothCredentials: 'key decides' }, status(200), status(403)],
  ['logging.read-log-file.end', { fileEnd: 'inclusive' }, 'exclusive', 'inclusive'],
  ['logging.read-log-file.past-end', { filePastEnd: 200 }, 204, 200],
  ['logging.read-log-file.old-day', { fileDay: 'empty' }, status(400), status(200)],
  [
    'logging.read-log-file.error-body',
    { fileErrorBody: 'text' },
    containing({ body: 'JSON' }),
    { status: 404, body: 'text' },
  ],
  [
    'logging.query-logs.rate-limit',
    { retryAfter: 'present' },
    containing({ headers: [] }),
    containing({ headers: ['retry-after'] }),
  ],
  ['logging.rate-limit.buckets', { rateBuckets: 'one each' }, 'shared', 'one each'],
  [
    'logging.query-logs.rate-limit',
    { rateWindow: 'fixed' },
    containing({ window: 'sliding' }),
    containing({ window: 'fixed' }),
  ],
  [
    'logging.query-logs.rate-limit',
    { rateWindow: 'bucket' },
    containing({ window: 'sliding' }),
    containing({ window: 'bucket' }),
  ],
  [
    'logging.query-logs.rate-limit',
    { refusedRequests: 'counted' },
    containing({ refusedRequests: 'not counted' }),
    containing({ refusedRequests: 'counted' }),
  ],
])('%s tells %j apart', async (point, variant, right, other) => {
  expect(await observe(point)).toEqual(right)
  expect(await observe(point, variant)).toEqual(other)
})

test('a point that gets an unexpected response is skipped and never fails', async () => {
  const check = assertDefined(pointChecks.find(({ id }) => id === 'unspecified.logging.query-logs.sample'))
  const session = { ...sessionOn(await createEmulator()), fetch: async () => new Response('<html>') }
  const { result } = await runCheck(check, session, { signal })
  expect(result.outcome).toBe('skip')
  expect(result.message).toContain('nothing could be observed')
})
