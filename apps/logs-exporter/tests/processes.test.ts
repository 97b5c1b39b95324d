/** Concurrent exporter processes, which share only the sink. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openPlatform } from './support/real-time.ts'

async function open(zones: number) {
  const platform = await openPlatform({ zones, rowsPerSecond: 1 })
  onTestFinished(platform.close)
  return platform
}

test('a suspended exporter that resumes after its successor loses and doubles no row', {
  timeout: 300_000,
}, async () => {
  const { zones, start, segments, read, compare } = await open(4)
  const times = { window: '1m', lateness: '1m', margin: '71h', rechecks: [] } // begins an hour ago
  const first = await start('first', ['run', '--once'], times)
  while (segments().length === 0) await sleep(2)
  first.child.kill('SIGSTOP')
  const before = segments().length
  const second = await start('second', ['run', '--once'], times)
  expect(await second.ended).toBe(0)
  expect(segments().length).toBeGreaterThan(before)
  first.child.kill('SIGCONT')
  expect(await first.ended).toBe(0)
  const to = Math.max(...read().map((segment) => segment.to))
  for (const zone of zones) {
    const { rows, violations } = compare(zone, to)
    expect(rows).toBeGreaterThan(2000)
    expect(violations).toEqual([])
  }
})

/** `backfill --shard` as tasks of an orchestrator. Each task starts with an empty disk. Finally, the number of shards changes. */
test('killed, repeated and concurrent tasks export a range once', { timeout: 300_000 }, async () => {
  const { zones, start, read, compare } = await open(6)
  const to = Math.floor((Date.now() - 600_000) / 300_000) * 300_000
  const from = to - 1_800_000
  const range = ['--from', new Date(from).toISOString(), '--to', new Date(to).toISOString()]
  let tasks = 0
  const task = (shard: string) => start(`task-${++tasks}`, ['backfill', '--shard', shard, ...range, '--again'], {})
  const codes = (...shards: string[]) => Promise.all(shards.map(async (shard) => (await task(shard)).ended))
  const killed = await task('0/2')
  await sleep(700)
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(await codes('0/2', '1/2')).toEqual([0, 0])
  const first = read()
  // A shard of nine may have no zones. It succeeds with and without zones.
  expect(await codes('0/1', '0/1', '8/9')).toEqual([0, 0, 0])
  expect(read().length).toBe(first.length)
  for (const zone of zones) expect(compare(zone, to, from).violations).toEqual([])
})
