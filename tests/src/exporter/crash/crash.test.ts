import { crash } from '@cdn/logs-exporter/tests/crash/campaign.ts'
import { expect, test } from 'vitest'
import { postgres } from './postgres.ts'
import { s3 } from './s3.ts'

/** One of the campaign's runs, in which the exporter is killed; a script of the exporter makes as many as are wanted. */
const seed = 1

test.each([
  ['s3', s3],
  ['postgres', postgres],
])('killed anywhere, with faults on every way: %s has each row once', { timeout: 240_000 }, async (_name, start) => {
  const sink = await start()
  try {
    const { violations, kills, rows } = await crash(seed, sink)
    expect(violations).toEqual([])
    expect(kills).not.toEqual([])
    expect(rows).toBeGreaterThan(100)
  } finally {
    await sink.stop()
  }
})
