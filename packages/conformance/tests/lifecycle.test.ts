/** Tests runs that are interrupted or killed, or that crash, with transport faults. Uses processes where one is killed. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { conformance, type Platform, readReport, type Started, start, startEmulator } from './support/process.ts'

const folder = temporaryFolder()

const files = ['index.html', 'junit.xml', 'nights.html', 'observations.json', 'report.json', 'runs', 'summary.md']

/** Transport faults of a fifth of the requests. */
const names = ['bad-gateway', 'reset-before', 'reset-after', 'cut-body', 'empty-body', 'no-json', 'redirect']
const transportFaults = names.map((name) => ({ name, share: 0.2 / names.length }))

/** Latency, so that some time passes between a write and the sweep. */
const slow = { name: 'latency', ms: 100 }

/** Waits until the platform's state has changed, which shows that a write was performed. */
async function untilChanged(platform: Platform, before: unknown, { ended }: Started): Promise<void> {
  let isOver = false
  void ended.then(() => (isOver = true))
  while (!isOver) {
    if (JSON.stringify(await platform.state()) !== JSON.stringify(before)) return
    await sleep(5)
  }
  throw new Error(`the run ended before it wrote: ${(await ended).err}`)
}

async function begin(name: string, faults: readonly object[] = [], env = {}, more: readonly string[] = []) {
  const platform = await startEmulator(folder, name)
  const before = await platform.state()
  for (const fault of [slow, ...faults]) await platform.control('POST', 'faults', fault)
  const args = [...platform.args, '--allow', 'write,destructive', '--out', `${name}/out`, ...more]
  const running = start(folder, args, { ...platform.env, ...env })
  await untilChanged(platform, before, running)
  return { platform, before, args, running }
}

/** Verifies that every write went to a resource of the fixtures, or to a collection that was empty before the suite created items. */
async function expectOwnResourcesOnly({ journal, fixtures }: Platform, before: unknown): Promise<void> {
  const { entries } = await journal()
  // A check sends paths in another notation, too, such as a percent-encoded id.
  const written = entries.filter(({ method }) => method !== 'GET').map(({ path }) => decodeURI(path).split('/'))
  expect(written.length).toBeGreaterThan(0)
  const ids = written.filter(([, collection]) => `/${collection}` in Object(before)).map(([, , id]) => id)
  expect(ids.filter((id) => !Object.values(fixtures).includes(id))).toEqual([])
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
