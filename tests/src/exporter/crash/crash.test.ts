import { crash } from '@cdn/logs-exporter/tests/crash/campaign.ts'
import { expect, test } from 'vitest'
import { postgres } from './postgres.ts'
import { s3 } from './s3.ts'

/** A few of the runs of the campaign; all of them are made by a script of the exporter. */
const runs = 2

test.each([
  ['s3', s3],
  ['postgres', postgres],
])('killed anywhere, with faults on every way: %s has each row once', async (_name, start) => {
  const sink = await start()
  try {
    let [kills, rows] = [0, 0]
    for (let seed = 1; seed <= runs; seed++) {
      const run = await crash(seed, sink)
      expect(run.violations, `seed ${seed}`).toEqual([])
      kills += run.kills.length
      rows += run.rows
    }
    expect(kills).toBeGreaterThan(0)
    expect(rows).toBeGreaterThan(100 * runs)
  } finally {
    await sink.stop()
  }
})
