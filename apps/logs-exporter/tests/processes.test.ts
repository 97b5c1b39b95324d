/** Concurrent exporter processes, which share only the sink. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openPlatform } from './support/real-time-platform.ts'

test('a suspended exporter that resumes after its successor loses and doubles no row', async () => {
  const { zones, start, segments, compare, close } = await openPlatform({ zones: 2, rowsPerSecond: 1 })
  onTestFinished(close)
  const times = { window: '1m', lateness: '1m', margin: '71h', rechecks: [] } // begins an hour ago
  const closed = Math.floor(Date.now() / 60_000 - 1) * 60_000
  const first = await start('first', ['run', '--once'], times)
  while (segments().length === 0 && first.process.exitCode === null) await sleep(2)
  first.process.kill('SIGSTOP')
  const before = segments().length
  const second = await start('second', ['run', '--once'], times)
  expect(await second.ended).toMatchObject({ code: 0 })
  expect(segments().length).toBeGreaterThan(before)
  first.process.kill('SIGCONT')
  expect(await first.ended).toMatchObject({ code: 0 })
  for (const zone of zones) {
    const { rows, violations } = compare(zone, closed)
    expect(rows).toBeGreaterThan(2000)
    expect(violations).toEqual([])
  }
})

/** `backfill --shard` as tasks of an orchestrator. Each task starts with an empty disk. Finally, the number of shards changes. */
test('killed, repeated and concurrent tasks of a backfill export a range once', async () => {
  const { zones, start, segments, compare, close } = await openPlatform({ zones: 4, rowsPerSecond: 1 })
  onTestFinished(close)
  const to = Math.floor((Date.now() - 600_000) / 300_000) * 300_000
  const range = ['--from', new Date(to - 1_800_000).toISOString(), '--to', new Date(to).toISOString()]
  let tasks = 0
  const task = (shard: string) => start(`task-${++tasks}`, ['backfill', '--shard', shard, ...range, '--again'], {})
  const codes = (...shards: string[]) =>
    Promise.all(shards.map(async (shard) => (await (await task(shard)).ended).code))
  const killed = await task('0/2')
  while (segments().length === 0 && killed.process.exitCode === null) await sleep(2)
  killed.process.kill('SIGKILL')
  await killed.ended
  expect(await codes('0/2', '1/2')).toEqual([0, 0])
  const first = segments().length
  // A shard of nine may have no zones. It succeeds with and without zones.
  expect(await codes('0/1', '0/1', '8/9')).toEqual([0, 0, 0])
  expect(segments()).toHaveLength(first)
  for (const zone of zones) expect(compare(zone, to).violations).toEqual([])
})
