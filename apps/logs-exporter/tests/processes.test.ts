/** Concurrent exporter processes, which share only the sink. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openPlatform } from './support/real-time.ts'

test('a suspended exporter that resumes after its successor loses and doubles no row', async () => {
  const { zones, start, segments, compare, close } = await openPlatform({ zones: 4, rowsPerSecond: 1 })
  onTestFinished(close)
  const times = { window: '1m', lateness: '1m', margin: '71h', rechecks: [] } // begins an hour ago
  const first = await start('first', ['run', '--once'], times)
  while (segments().length === 0) await sleep(2)
  first.process.kill('SIGSTOP')
  const before = segments().length
  const second = await start('second', ['run', '--once'], times)
  expect(await second.ended).toMatchObject({ code: 0 })
  expect(segments().length).toBeGreaterThan(before)
  first.process.kill('SIGCONT')
  expect(await first.ended).toMatchObject({ code: 0 })
  for (const zone of zones) {
    const { rows, violations } = compare(zone)
    expect(rows).toBeGreaterThan(2000)
    expect(violations).toEqual([])
  }
})
