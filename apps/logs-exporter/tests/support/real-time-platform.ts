import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { EmulatorOptions } from '@cdn/emulator'
import { openCli } from './cli.ts'
import { violations } from './oracle.ts'
import { readFiles } from './read-files.ts'
import { memoryPlace } from './worker-bundle.ts'

/** An emulator in real time with a folder of segments, for exporters in processes of their own. */
export async function openPlatform(traffic: EmulatorOptions['traffic']) {
  const { emulator, configure, start, folder, close } = await openCli(traffic, memoryPlace)
  for (const zone of emulator.state.zones.values()) zone.addresses = 'whole'
  const zones = [...emulator.state.zones.keys()].filter((id) => id.length === 5)
  const logs = join(folder(), 'logs')
  return {
    ...{ emulator, zones, close },
    /** Starts an exporter process with its own ledger. */
    async start(name: string, args: readonly string[], settings: object) {
      const config = await configure({ zones, ledger: join(folder(), name), ...settings }, `${name}.yaml`)
      return start([...args, '--config', config])
    },
    segments: () =>
      existsSync(logs) ? readdirSync(logs, { recursive: true }).filter((name) => String(name).endsWith('.zst')) : [],
    /** Compares a zone with the store, from its first segment to the end of a window. */
    compare(zone: string, to: number) {
      const segments = readFiles(logs).filter((segment) => segment.zone === zone)
      const range = { from: Math.min(...segments.map(({ from }) => from)), to }
      const stored = emulator.state.logs.rows(zone, range.from, range.to)
      const rows = stored.filter(({ originShield }) => !originShield).length
      return { rows, violations: violations(segments, { stored, ...range }) }
    },
  }
}
