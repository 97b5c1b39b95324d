/** Tests runs that are interrupted or killed, or that crash, some of them with transport faults. */

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmulator, type Fault } from '@cdn/emulator'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import {
  conformance,
  type Platform,
  readReport,
  type Started,
  startConformance,
  startEmulator,
} from './support/process.ts'

const folder = temporaryFolder()

const files = ['index.html', 'junit.xml', 'nights.html', 'observations.json', 'report.json', 'runs', 'summary.md']

/** Transport faults of a fifth of the requests. */
const names = ['bad-gateway', 'reset-before', 'reset-after', 'cut-body', 'empty-body', 'no-json', 'redirect']
const transportFaults = names.map((name) => ({ name, share: 0.2 / names.length }))

/** Latency, so that some time passes between a write and the sweep. */
const slow = { name: 'latency', ms: 100 }

/** Waits until the platform's state has changed twice, which shows that a check wrote, after the mark of the run. */
async function untilChanged(platform: Platform, before: unknown, { ended }: Started): Promise<void> {
  let isOver = false
  void ended.then(() => (isOver = true))
  const states = new Set([JSON.stringify(before)])
  while (!isOver) {
    if (states.add(JSON.stringify(await platform.state())).size > 2) return
    await sleep(5)
  }
  throw new Error(`the run ended before it wrote: ${(await ended).err}`)
}

async function begin(name: string, faults: readonly object[] = [], env = {}, more: readonly string[] = []) {
  const platform = await startEmulator(folder, name)
  const before = await platform.state()
  for (const fault of [slow, ...faults]) await platform.control('POST', 'faults', fault)
  const args = [...platform.args, '--allow', 'write,destructive', '--out', `${name}/out`, ...more]
  const running = startConformance(folder, args, { ...platform.env, ...env })
  await untilChanged(platform, before, running)
  return { platform, before, args, running }
}

/**
 * Verifies that every write went to a resource of the fixtures, or to a collection that was empty before the suite created items. Any other
 * write must have been refused, and must name an id that no item has.
 */
async function expectOwnResourcesOnly({ journal, fixtures }: Platform, before: unknown): Promise<void> {
  const { entries } = await journal()
  // A check also sends paths in another notation, such as a percent-encoded id.
  const written = entries
    .filter(({ method }) => method !== 'GET')
    .map(({ path, status }) => ({ steps: decodeURI(path).split('/'), status }))
  expect(written.length).toBeGreaterThan(0)
  const others = written.filter(({ steps: [, collection, id] }) => {
    return `/${collection}` in Object(before) && !Object.values(fixtures).includes(id)
  })
  const isItem = (id = '') => JSON.stringify(before).includes(`"Id":${id},`)
  expect(others.filter(({ steps: [, , id], status }) => status < 400 || isItem(id))).toEqual([])
}

test.concurrent('a signal during writes and transport faults: the report states it, exit 130, the state is restored', async () => {
  const { platform, before, running } = await begin('signal', transportFaults)
  // Send the signal twice, as `timeout` does: to the process, and then to its group.
  for (let count = 0; count < 2; count++) running.child.kill('SIGTERM')
  const { code, err } = await running.ended
  expect(code, err).toBe(130)
  expect(await platform.state(), err).toEqual(before)
  await expectOwnResourcesOnly(platform, before)
  platform.close()
  expect(readdirSync(join(folder, 'signal', 'out')).sort()).toEqual(files)
  const { status, exitCode, checks } = readReport(join(folder, 'signal'), 'out')
  expect({ status, exitCode }).toEqual({ status: 'interrupted', exitCode: 130 })
  expect(checks.some(({ message }) => message === 'not run: the run was interrupted')).toBe(true)
}, 180_000)

test.concurrent('without permission and with transport faults: only reads, never beyond the rate limit', async () => {
  const platform = await startEmulator(folder, 'reader')
  for (const fault of transportFaults) await platform.control('POST', 'faults', fault)
  const args = [...platform.args, '--budget', '40', '--out', 'reader/out']
  const { code, err } = await conformance(folder, args, platform.env)
  const { entries } = await platform.journal()
  platform.close()
  // The exit code depends on which requests the faults hit.
  expect([0, 1, 2], err).toContain(code)
  expect(entries.length).toBeGreaterThan(30)
  expect(entries.filter(({ method, status }) => method !== 'GET' || status === 429)).toEqual([])
}, 300_000)

test.concurrent('SIGKILL: the next run, and the command sweep, bring back the declared state and say so', async () => {
  // This check does not undo what it adds until it ends.
  const only = ['--only', 'management.add-allowed-referrer.one-per-call']
  const { platform, before, args, running } = await begin('killed', [], {}, only)
  const sweep = () => conformance(folder, ['sweep', ...platform.args.slice(3), '--out', 'killed/out'], platform.env)
  expect((await sweep()).err).toMatch(/^conformance: Another run \(pid \d+, since .*\) uses the reports/)
  running.child.kill('SIGKILL')
  await running.ended
  for (const fault of transportFaults) await platform.control('POST', 'faults', fault)
  const next = await conformance(
    folder,
    [...args.slice(0, -only.length), '--only', 'management.delete-watermark.204'],
    platform.env,
  )
  expect(next.err).toContain('Swept what an earlier run left:')
  expect(await platform.state()).toEqual(before)
  await platform.control('DELETE', 'faults')
  expect(await sweep()).toEqual({ code: 0, out: 'Nothing to sweep.\n', err: '' })
  await expectOwnResourcesOnly(platform, before)
  platform.close()
}, 180_000)

test.concurrent('an error outside the checks: the report states it, exit 2, the state is restored', async () => {
  // Throws in the process of the run while a check writes.
  const fault = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('planted') })`
  const env = { NODE_OPTIONS: `--import "${fault}"` }
  const { platform, before, running } = await begin('crashed', undefined, env, [
    '--only',
    'management.delete-watermark.204',
  ])
  running.child.kill('SIGUSR2')
  const { code, out, err } = await running.ended
  expect(code, out + err).toBe(2)
  expect(await platform.state(), err).toEqual(before)
  platform.close()
  expect(readdirSync(join(folder, 'crashed', 'out')).sort()).toEqual(files)
  const { status, exitCode, problems } = readReport(join(folder, 'crashed'), 'out')
  expect({ status, exitCode }).toEqual({ status: 'crashed', exitCode: 2 })
  expect(problems).toEqual(['Fault of the suite: planted'])
}, 180_000)

test.concurrent('two machines that start at the same moment: one run goes on, and the other one only removes its mark', async () => {
  const emulator = await createEmulator()
  const [bothMarked, oneGaveWay] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writes: string[] = []
  // Neither run sees a mark of the other one before it writes its own, and none ends before the other one has decided.
  const around: Fault['around'] = async (call, operation, next) => {
    if (call.method === 'GET') return next(call, operation)
    const body = await call.body()
    if (writes.push(String(Buffer.from(body))) === 2) bothMarked.resolve()
    if (operation.name.startsWith('remove')) oneGaveWay.resolve()
    await (writes.length > 2 ? oneGaveWay : bothMarked).promise
    return next({ ...call, body: async () => body }, operation)
  }
  emulator.faults.add({ name: 'together', text: 'Writes wait for those of the other run.', around })
  const listening = await emulator.listen()
  const { credentials, ...ids } = emulator.fixtures
  writeFileSync(join(folder, 'two.json'), JSON.stringify({ zoneId: ids.zoneId, credentials: { accessKey: 'KEY' } }))
  const urls = ['--management-url', listening.managementUrl.href, '--logging-url', listening.loggingUrl.href]
  const only = ['--only', 'management.add-allowed-referrer.204', '--allow', 'write,destructive']
  const args = ['run', '--target', 'live', ...urls, '--fixtures', join(folder, 'two.json'), ...only]
  const env = { KEY: credentials.accessKey ?? '' }
  const ended = await Promise.all(
    ['one', 'other'].map((out) => startConformance(folder, [...args, '--out', out], env).ended),
  )
  await listening.close()
  const [going, stopped] = ended.toSorted((one, other) => Number(one.code) - Number(other.code))
  expect(going?.code, going?.err).toBe(0)
  expect(stopped).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /^conformance: Another run of the suite uses the fixtures, until .* UTC at the latest: /m,
    ),
  })
  const names = Map.groupBy(writes, (write) => /[\da-f]{8}(?=\.conformance\.invalid)/.exec(write)?.[0])
  // One of them wrote nothing but its mark.
  expect([...names.values()].map((each) => new Set(each).size).sort()[0]).toBe(1)
  expect(emulator.state.resources.item('/pullzone', ids.zoneId ?? '')).toMatchObject({ AllowedReferrers: [] })
}, 120_000)
