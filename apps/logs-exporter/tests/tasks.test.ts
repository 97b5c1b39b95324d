/**
 * `backfill --shard` as tasks of an orchestrator. Each task starts with an empty disk. Some are killed, and all are repeated.
 * Finally, the number of shards changes.
 */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmulator } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { violations } from './support/oracle.ts'
import { readFiles } from './support/read-files.ts'
import { startExporter } from './support/start-exporter.ts'

test('killed, repeated and concurrent tasks export a range once', { timeout: 300_000 }, async () => {
  const emulator = await createEmulator({
    clock: 'real',
    traffic: { zones: 6, rowsPerSecond: 1 },
  })
  const zones = [...emulator.state.zones.keys()].filter((id) => id.length === 5)
  for (const zone of emulator.state.zones.values()) zone.addresses = 'whole'
  const { loggingUrl } = await emulator.listen()
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'))
  const sink = { type: 'files', path: join(folder, 'logs') }
  const to = Math.floor((Date.now() - 600_000) / 300_000) * 300_000
  const from = to - 1_800_000
  const range = ['--from', new Date(from).toISOString(), '--to', new Date(to).toISOString()]
  let tasks = 0
  async function task(shard: string, killAfterMs?: number): Promise<number | null> {
    const path = join(folder, `${++tasks}.yaml`)
    const ledger = join(folder, `disk-${tasks}`)
    await writeFile(path, JSON.stringify({ loggingUrl: loggingUrl.href, zones, ledger, sink, listen: '127.0.0.1:0' }))
    const env = { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey }
    const child = startExporter(['backfill', '--config', path, '--shard', shard, ...range, '--again'], env)
    const gone = once(child, 'close')
    if (killAfterMs !== undefined) await sleep(killAfterMs).then(() => child.kill('SIGKILL'))
    const [code] = await gone
    return code
  }
  try {
    await task('0/2', 700)
    expect(await Promise.all(['0/2', '1/2'].map((shard) => task(shard)))).toEqual([0, 0])
    const first = await readFiles(sink.path)
    // A shard of nine may have no zones. It succeeds with and without zones.
    expect(await Promise.all(['0/1', '0/1', '8/9'].map((shard) => task(shard)))).toEqual([0, 0, 0])
    const second = await readFiles(sink.path)
    expect(second.length).toBe(first.length)
    for (const zone of zones) {
      const exported = second.filter((segment) => segment.zone === zone)
      const stored = [...emulator.state.logs.rows(zone, from, to)]
      expect(violations(exported, { stored, from, to })).toEqual([])
    }
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true })
  }
})
