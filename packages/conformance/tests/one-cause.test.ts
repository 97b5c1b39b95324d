/** One mistake is one cause, whatever the target writes and whichever operations show it. */
import { createEmulator, type Emulator } from '@cdn/emulator'
import { toRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'
import { createPlan, runCheck, sessionOn } from '../src/index.ts'
import { applicableMutants } from './mutants/all-mutants.ts'
import { jsonBody, keepBody } from './mutants/alter-calls.ts'
import { runMatrix } from './mutants/matrix.ts'
import { runLive } from './support/live-run.ts'

const plan = createPlan()
const { signal } = new AbortController()

test('a platform that accepts unsigned tokens in every operation has one cause', { timeout: 120_000 }, async () => {
  const acceptUnsigned = ({ faults, fixtures }: Emulator) => {
    const valid = `Bearer ${fixtures.credentials.bearer}`
    faults.add({
      name: 'x',
      text: 'x',
      around(call, operation, next) {
        if (!call.headers.get('Authorization')?.endsWith('.')) return next(call, operation)
        const get = (name: string) => (name === 'Authorization' ? valid : call.headers.get(name))
        return next({ ...call, headers: { get } }, operation)
      },
    })
  }
  const select = ({ id }: { id: string }) => id.endsWith('unsigned-token')
  const { report } = await runLive({ name: 'x', break: acceptUnsigned }, { select })
  expect(report.checks.filter(({ outcome }) => outcome === 'fail').length).toBeGreaterThan(3)
  expect(report.causes.map(({ operation }) => operation)).toEqual(['*'])
})

test('a failure that requests of another check show is put down to that check', async () => {
  const emulator = await createEmulator()
  const { accessKey, bearer } = emulator.fixtures.credentials
  emulator.faults.add({
    name: 'x',
    text: 'Two wrong credentials count as a right one.',
    around(call, operation, next) {
      const [key, token] = [call.headers.get('AccessKey'), call.headers.get('Authorization')]
      const areWrong = key !== null && token !== null && key !== accessKey && token !== `Bearer ${bearer}`
      if (operation.name !== 'delete-watermark' || !areWrong) return next(call, operation)
      return next({ ...call, headers: { get: (name) => (name === 'AccessKey' ? accessKey : null) } }, operation)
    },
  })
  const session = sessionOn(emulator)
  const results = []
  for (const kind of ['two-invalid', 'malformed-token']) {
    const check = plan.checks.find(({ id }) => id === `management.delete-watermark.401/${kind}`)
    if (check) results.push((await runCheck(check, session, { signal })).result)
  }
  expect(results).toMatchObject([{ outcome: 'fail' }, { outcome: 'fail', sentBy: results[0]?.id }])
  expect(results[0]).not.toHaveProperty('sentBy')
})

test.each([
  ['status.query-logs.429-403', /^logging\.(rate-limit\.429|errors\.forbidden)/],
  ['request-body.add-allowed-referrer.request-object-not-enforced', /add-allowed-referrer\.effect$/],
])('%s is accused of nothing else', async (mistake, only) => {
  const [mutant] = applicableMutants.filter(({ id }) => id === mistake)
  const checks = plan.checks.filter(({ id }) => only.test(id))
  const { mutants } = await runMatrix(mutant ? [mutant] : [], { checks })
  expect(mutants).toMatchObject([{ verdict: { untrue: [] } }])
})

/** Changes the list of a pull zone before and after each request. `status` is the status of the addition of `value`, otherwise 0. */
type Damage = (added: { status: number; value: unknown; list: readonly string[]; ms: number }) => readonly string[]

/** A platform on which additions damage the list of their pull zone. */
const damaging = (makeDamage: () => Damage) => (emulator: Emulator) => {
  const { faults, state, clock } = emulator
  const damage = makeDamage()
  faults.add({
    name: 'x',
    text: 'x',
    async around(received, operation, next) {
      const call = keepBody(received)
      const id = call.path.split('/')[2] ?? ''
      const value = operation.name === 'add-allowed-referrer' ? toRecord(await jsonBody(call))['Hostname'] : undefined
      const apply = (status: number) => {
        const list = state.resources.item('/pullzone', id)?.['AllowedReferrers']
        if (!operation.path.startsWith('/pullzone/') || !Array.isArray(list)) return
        const left = damage({ status: value === undefined ? 0 : status, value, list, ms: clock.now().getTime() })
        state.resources.change('/pullzone', id, { AllowedReferrers: left })
      }
      apply(0)
      const response = await next(call, operation)
      apply(response.status)
      return response
    },
  })
}

test.each<[string, () => Damage, RegExp, string]>([
  [
    'an addition that is undone after 12 s, when other operations are tried',
    () => {
      const until = new Map<unknown, number>()
      return ({ status, value, list, ms }) => {
        if (status > 0 && status < 300) until.set(value, ms + 12_000)
        return list.filter((each) => (until.get(each) ?? ms) >= ms)
      }
    },
    /\.(put-watermark|add-allowed-referrer)\.effect$/,
    'management.add-allowed-referrer.effect',
  ],
  [
    'a refused empty value that empties the list, among other wrong bodies',
    () =>
      ({ status, value, list }) =>
        status === 400 && value === '' ? [] : list,
    /add-allowed-referrer\.(hostname-length|encoding)$/,
    'management.add-allowed-referrer.hostname-length',
  ],
  [
    'a refused empty value that empties the list, when nothing but the mark of the run would be in the list',
    () =>
      ({ status, value, list }) =>
        status === 400 && value === '' ? [] : list,
    /add-allowed-referrer\.hostname-/,
    'management.add-allowed-referrer.hostname-length',
  ],
  [
    'an addition to a list of three that drops the first value, when other methods are tried on the removal',
    () =>
      ({ status, list }) =>
        status > 0 && status < 300 ? list.slice(-3) : list,
    /(add|remove)-allowed-referrer\.effect$/,
    'management.add-allowed-referrer.effect',
  ],
])('on a live target, the culprit is accused: %s', { timeout: 120_000 }, async (_, makeDamage, only, accused) => {
  const world = { name: 'x', break: damaging(makeDamage) }
  const { report } = await runLive(world, { select: ({ id }) => only.test(id) })
  expect(report.causes.map(({ requirements: [first] }) => first)).toEqual([accused])
})

test('an optional member of a field that comes and goes by itself is no effect of a write', {
  timeout: 120_000,
}, async () => {
  let count = 0
  const comeAndGo = ({ faults }: Emulator) =>
    faults.add({
      name: 'x',
      text: 'Every third hostname has no ForceSSL.',
      async around(call, operation, next) {
        const response = await next(call, operation)
        if (typeof response.body !== 'string') return response
        return {
          ...response,
          body: response.body.replace(/"ForceSSL":\w+,/g, (text) => (count++ % 3 === 0 ? '' : text)),
        }
      },
    })
  const select = ({ id }: { id: string }) => /delete-watermark\.204$|add-allowed-referrer\.effect$/.test(id)
  const { report } = await runLive({ name: 'x', break: comeAndGo }, { select })
  expect(count).toBeGreaterThan(10)
  expect(report.causes).toEqual([])
})
