/** A process that is suspended and resumes after its successor. Only the sink can tell them of each other. */
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmulator } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { violations } from './support/oracle.ts'
import { readFiles } from './support/read-files.ts'
import { startExporter } from './support/start-exporter.ts'

test('a suspended exporter that resumes after its successor loses and doubles no row', {
  timeout: 300_000,
}, async () => {
  const emulator = await createEmulator({ clock: 'real', traffic: { zones: 4, rowsPerSecond: 1 } })
  const zones = [...emulator.state.zones.keys()].filter((id) => id.length === 5)
  for (const zone of emulator.state.zones.values()) zone.addresses = 'whole'
  const { loggingUrl } = await emulator.listen()
  const folder = await mkdtemp(join(tmpdir(), 'suspended-'))
  const logs = join(folder, 'logs')
  const segments = async () =>
    (await readdir(logs, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.zst')).length
  async function start(name: string) {
    const path = join(folder, `${name}.yaml`)
    const times = { window: '1m', lateness: '1m', margin: '71h', rechecks: [] } // begins an hour ago
    const sink = { type: 'files', path: logs }
    const config = { loggingUrl: loggingUrl.href, zones, ledger: join(folder, name), sink, ...times }
    await writeFile(path, JSON.stringify(config))
    const env = { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey }
    const child = startExporter(['run', '--once', '--config', path], env)
    return { child, ended: once(child, 'close').then(([code]) => code) }
  }
  try {
    const first = await start('first')
    while ((await segments()) === 0) await sleep(2)
    first.child.kill('SIGSTOP')
    const before = await segments()
    const second = await start('second')
    expect(await second.ended).toBe(0)
    expect(await segments()).toBeGreaterThan(before)
    first.child.kill('SIGCONT')
    expect(await first.ended).toBe(0)
    const exported = await readFiles(logs)
    const to = Math.max(...exported.map((segment) => segment.to))
    for (const zone of zones) {
      const own = exported.filter((segment) => segment.zone === zone)
      const from = Math.min(...own.map((segment) => segment.from))
      const stored = [...emulator.state.logs.rows(zone, from, to)]
      expect(stored.length).toBeGreaterThan(3000)
      expect(violations(own, { stored, from, to })).toEqual([])
    }
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true })
  }
})
