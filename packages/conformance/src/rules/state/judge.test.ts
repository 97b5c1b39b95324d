import type { Operation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../exchange/history.ts'
import { operationOf } from '../../exchange/resources.ts'
import { judgeState } from './judge.ts'
import { brokenBy } from './sentences.ts'

const [adding, removing] = ['add-allowed-referrer', 'remove-allowed-referrer'] as const
const names = ['a', 'b', 'c']
const refused = { name: 'without a credential', breaks: ['management.authentication.missing'] }

/** One step of an invented history: a change of a list, or a read of it, alone or in the list of all zones. */
const step = fc.record({
  kind: fc.constantFrom(adding, removing, 'get-pull-zone', 'list-pull-zones'),
  name: fc.constantFrom(...names),
  fate: fc.constantFrom('done', 'done', 'refused', 'lost and done', 'lost'),
  ms: fc.nat(3_000),
  ageMs: fc.nat(4_000),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Damage of the invented server: what a success of an operation leaves besides. */
type Damage = (list: ReadonlySet<string>, { kind, name }: Step) => ReadonlySet<string>

const views: readonly Step['kind'][] = ['get-pull-zone', 'list-pull-zones']

/** Plays some reads, then steps, on a server whose reads are at most `lagMs` old. The oracle: the whole list at each time. */
function historyOf(
  steps: readonly Step[],
  lagMs: number,
  damage: Damage = (list) => list,
  before = views,
): HistoryEntry[] {
  let now = 100_000
  let list: ReadonlySet<string> = new Set(['a'])
  const versions = [{ at: 0, list }]
  const first = before.map((kind): Step => ({ kind, name: 'a', fate: 'done', ms: 0, ageMs: 0 }))
  return [...first, ...steps].map((one, index) => {
    const { kind, name, fate, ms, ageMs } = one
    now += ms
    const startMs = now
    const isWrite = kind === adding || kind === removing
    if (isWrite && fate !== 'refused' && fate !== 'lost') {
      const changed = new Set(list)
      if (kind === adding) changed.add(name)
      else changed.delete(name)
      list = damage(changed, one)
    }
    now += 1
    if (isWrite) versions.push({ at: now, list })
    const readMs = startMs - Math.min(ageMs, lagMs)
    const shown = lagMs === 0 ? list : assertDefined(versions.findLast(({ at }) => at <= readMs)).list
    // Members that the contract does not state may change at any time.
    const item = { Id: 7, AllowedReferrers: [...shown], Hostnames: [{ Id: 1, Value: 'x', Seen: index }] }
    return {
      ...{ operation: operationOf(kind), method: operationOf(kind).method.toUpperCase(), check: 'c' },
      ...{ path: kind === 'list-pull-zones' ? {} : { id: '7' }, query: new URLSearchParams() },
      ...{ start: 2 * index, end: 2 * index + 1, startMs, endMs: now },
      body: isWrite ? { Hostname: name } : undefined,
      noEffect: isWrite && fate === 'refused' ? refused : undefined,
      status: !isWrite ? 200 : fate === 'refused' ? 401 : fate === 'done' ? 204 : 0,
      shown: isWrite ? undefined : kind === 'list-pull-zones' ? [item] : item,
    }
  })
}

const options = (lagMs: number) => ({ lagMs, isFixture: (item: string) => item === '/pullzone/7' })

test('a correct server is never accused, whatever is refused or lost, and however old its reads are', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.constantFrom(0, 5_000),
      fc.subarray([...views]),
      (steps, lagMs, before) => {
        const history = historyOf(steps, lagMs, undefined, before)
        expect(judgeState(history, options(lagMs)).violations).toEqual([])
      },
    ),
    { numRuns: 500 },
  )
})

const reading = operationOf('get-video-library')

/** One request about one library, which may overlap with others. `value`: what it sends, or what a server chooses for an omitted field. */
const request = fc.record({
  kind: fc.constantFrom('create', 'replace', 'replace', 'delete', 'put-watermark', ...Array(4).fill(reading.name)),
  value: fc.boolean(),
  fate: fc.constantFrom('done', 'done', 'done', 'done', 'lost and done', 'lost'),
  startMs: fc.nat(4_000),
  ms: fc.integer({ min: 2, max: 600 }),
  /** When the server executes it, as a share of the time between its start and its end, and how old a read is. */
  moment: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  lateMs: fc.integer({ min: 1, max: 900 }),
  ageMs: fc.nat(2_000),
})

const writable = { writable: ['HasWatermark'], shown: ['HasWatermark'], source: 'spec' as const }
/** Changes that the contract has for no resource with a field of two values. */
const invented: Readonly<Record<string, Operation>> = {
  create: { ...reading, method: 'post', path: '/videolibrary', action: { kind: 'create', ...writable } },
  replace: { ...reading, method: 'put', action: { kind: 'replace', ...writable } },
  delete: { ...reading, method: 'delete', action: { kind: 'delete', source: 'spec' } },
}

test('a correct server is never accused of requests that overlap, however late it executes one without a response', () => {
  fc.assert(
    fc.property(fc.array(request, { maxLength: 12 }), fc.constantFrom(0, 2_000), (requests, lagMs) => {
      const timed = requests.map((one) => {
        const end = one.startMs + one.ms
        const at = one.fate === 'lost and done' ? end + one.lateMs : one.startMs + one.ms * one.moment
        return { ...one, end, at }
      })
      let has: boolean | undefined = false
      const versions: { readonly at: number; readonly has: boolean | undefined }[] = [{ at: -1_000_000, has }]
      const entries = timed
        .toSorted((a, b) => a.at - b.at)
        .map(({ kind, value, fate, startMs, end, at, ageMs }): HistoryEntry => {
          const isRead = kind === reading.name
          const isRefused = !isRead && (kind === 'create') === (has !== undefined)
          if (!isRead && !isRefused && fate !== 'lost') {
            has = kind === 'delete' ? undefined : kind === 'put-watermark' || value
            versions.push({ at, has })
          }
          const seen = versions.findLast((version) => version.at <= at - Math.min(ageMs, lagMs))?.has
          const status = isRead ? (seen === undefined ? 404 : 200) : isRefused ? 404 : 204
          const operation = invented[kind] ?? operationOf(kind)
          return {
            ...{ operation, method: operation.method.toUpperCase(), check: 'c', query: new URLSearchParams() },
            ...{ path: kind === 'create' ? {} : { id: '7' }, start: startMs, end, startMs, endMs: end },
            ...{ body: kind === 'create' ? { HasWatermark: value } : {}, createdId: '7' },
            status: fate === 'done' ? status : 0,
            shown: isRead && seen !== undefined && fate === 'done' ? { Id: 7, HasWatermark: seen } : undefined,
          }
        })
        .toSorted((a, b) => a.end - b.end)
      const { violations } = judgeState(entries, { lagMs, isFixture: () => true })
      expect(violations.map(({ how, register, seen }) => [how, register.field, seen])).toEqual([])
    }),
    { numRuns: 3_000 },
  )
})

test('an item that disappears is put down to its creation, not to an earlier deletion of the item that contains it', () => {
  const path = '/videolibrary/{id}/parts/{part}'
  const part = { ...reading, path, resource: { ...assertDefined(reading.resource), path: '/videolibrary/{id}/parts' } }
  const history = [
    { operation: { ...reading, ...invented['delete'] }, path: { id: '7' } },
    { operation: { ...part, ...invented['create'], path: '/videolibrary/{id}/parts', resource: part.resource } },
    { operation: part, shown: { Id: 1 } },
    { operation: part, status: 404 },
  ].map((entry, index) => ({
    ...{ method: entry.operation.method.toUpperCase(), check: 'c', path: { id: '7', part: '1' } },
    ...{
      start: 2 * index,
      end: 2 * index + 1,
      startMs: index,
      endMs: index,
      status: 200,
      query: new URLSearchParams(),
    },
    ...{ body: {}, createdId: '1', shown: undefined },
    ...entry,
  }))
  const { violations } = judgeState(history, { isFixture: () => true })
  expect(violations.map(({ how, suspects }) => [how, ...suspects.map(({ entry }) => entry.method)])).toEqual([
    ['not-lasting', 'POST'],
  ])
})

const clean = (kind: Step['kind'], name = 'a', fate: Step['fate'] = 'done'): Step => ({
  kind,
  name,
  fate,
  ms: 9_000,
  ageMs: 0,
})
const reads = [clean('get-pull-zone'), clean('list-pull-zones')]

test.each<[string, readonly Step[], Damage, string, readonly string[]]>([
  ['no effect', [clean(adding, 'b')], () => new Set(['a']), 'missing', ['management.add-allowed-referrer.effect']],
  [
    'a loss of another value',
    [clean(adding, 'b')],
    () => new Set(['b']),
    'other',
    ['management.add-allowed-referrer.effect', 'management.add-allowed-referrer.one-per-call'],
  ],
  [
    'an effect that does not last',
    [clean(adding, 'b'), ...reads, clean(removing, 'c')],
    (list, { kind }) => (kind === removing ? new Set([...list].filter((each) => each !== 'b')) : list),
    'other',
    ['management.remove-allowed-referrer.effect', 'management.remove-allowed-referrer.one-per-call'],
  ],
])('%s is one violation of the right sentence, with and without old reads', (_, steps, damage, how, broken) => {
  for (const lagMs of [0, 5_000]) {
    const history = historyOf([...steps, ...reads], lagMs, damage)
    const { violations } = judgeState(history, options(lagMs))
    expect(violations.map((one) => [one.how, brokenBy(one)])).toEqual([[how, broken]])
  }
})

test('a name of the suite in another item, which no check may change, is put down to its addition', () => {
  const name = 'x.conformance.invalid'
  const history = historyOf([clean(adding, name), clean(removing, name), ...reads], 0).map((entry) =>
    Array.isArray(entry.shown) && entry.start > 4
      ? { ...entry, shown: [...entry.shown, { Id: 8, AllowedReferrers: [name, 'customer.example'] }] }
      : entry,
  )
  const { violations } = judgeState(history, options(0))
  expect(violations.map((one) => [one.register.item, ...brokenBy(one)])).toEqual([
    ['/pullzone/8', 'management.add-allowed-referrer.effect', 'management.add-allowed-referrer.zone-id'],
  ])
})

test('a refused request that has its effect breaks the requirement that it names', () => {
  const steps = [clean(adding, 'b', 'refused'), ...reads]
  const history = historyOf(steps, 0).map((entry, index) =>
    index < 3 || entry.shown === undefined
      ? entry
      : { ...entry, shown: JSON.parse(JSON.stringify(entry.shown).replace('["a"]', '["a","b"]')) },
  )
  const { violations } = judgeState(history, options(0))
  expect(violations.map((one) => [one.how, brokenBy(one)])).toEqual([['forbidden', refused.breaks]])
})

test('a counter may show an older value after it has moved without a write, and any other number must stay', () => {
  const numbers = (values: readonly number[]) =>
    values.map((MonthlyBandwidthUsed, index) => {
      const isWrite = index === 2
      return {
        operation: operationOf(isWrite ? adding : 'get-pull-zone'),
        ...{ method: isWrite ? 'POST' : 'GET', check: 'c', path: { id: '7' }, query: new URLSearchParams() },
        ...{ start: 2 * index, end: 2 * index + 1, startMs: index, endMs: index, status: isWrite ? 204 : 200 },
        body: isWrite ? { Hostname: 'b' } : undefined,
        shown: isWrite ? undefined : { Id: 7, MonthlyBandwidthUsed },
      }
    })
  const judged = (...values: readonly number[]) => judgeState(numbers(values), options(0)).violations.length
  expect(judged(1, 2, 0, 1)).toBe(0)
  expect(judged(2, 2, 0, 1)).toBe(1)
})

test('a request with a safe method breaks the sentence of the change that it makes, whichever change of the path it was tried for', () => {
  const flagged = (HasWatermark: boolean) => ({ status: 200, shown: { Id: 7, HasWatermark } })
  const history = [
    { operation: operationOf('get-video-library'), ...flagged(true) },
    {
      operation: operationOf('put-watermark'),
      method: 'PROPFIND',
      noEffect: { name: 'with PROPFIND', breaks: [] },
      status: 204,
    },
    { operation: operationOf('get-video-library'), ...flagged(false) },
  ].map((entry, index) => ({
    ...{ method: entry.operation.method.toUpperCase(), check: 'c', path: { id: '7' }, query: new URLSearchParams() },
    ...{ start: 2 * index, end: 2 * index + 1, startMs: index, endMs: index, body: undefined, shown: undefined },
    ...entry,
  }))
  const { violations } = judgeState(history, { isFixture: () => true })
  expect(violations.flatMap(brokenBy)).toEqual(['management.delete-watermark.effect'])
})

test('a write after which the item still shows the value is no suspect of what the list shows later', () => {
  const steps = [clean(adding, 'b'), clean('get-pull-zone'), clean(removing, 'b', 'refused'), clean('get-pull-zone')]
  const damage: Damage = (list, { name }) => (name === 'c' ? new Set(['a', 'c']) : list)
  const history = historyOf(
    [clean('list-pull-zones'), ...steps, clean(adding, 'c'), clean('list-pull-zones')],
    0,
    damage,
  )
  const { violations } = judgeState(history, options(0))
  expect(violations.map((one) => [one.how, ...brokenBy(one)])).toEqual([
    ['other', 'management.add-allowed-referrer.effect', 'management.add-allowed-referrer.one-per-call'],
  ])
})
