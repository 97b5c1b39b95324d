/** A disk that is really full: in memory, with a given size, in a separate namespace. On Linux, that needs no privileges. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createEmulator } from '@cdn/emulator'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Assignment } from '../crash/assignment.ts'
import { violations } from '../support/oracle.ts'
import { readFiles } from '../support/read-files.ts'
import { hour, minute } from '../support/simulation.ts'
import { minimalConfig } from '../support/test-settings.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})

const isolated = ['--user', '--map-root-user', '--mount', 'sh', '-ec']
/** Mounts the disk and fills it, except for the requested free space. Runs the exporter until it is done, then copies the output. */
const script = `
  mount -t tmpfs -o size=2m tmpfs disk
  head -c 2m /dev/zero >disk/ballast 2>/dev/null || true
  truncate -s -$1 disk/ballast
  timeout 30 "$2" "$3" "$4"
  test ! -e disk/ballast
  cp -r disk/logs out
`

function canMount(): boolean {
  try {
    execFileSync('unshare', [...isolated, 'mount -t tmpfs tmpfs /tmp'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

// An empty ledger takes 132 kB. So in the first case, the disk is full before the first window is recorded.
test.skipIf(!canMount()).each(['136k', '200k'])(
  'the exporter waits while a disk (%s free) is full, and no row is lost or duplicated',
  async (room) => {
    const emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.1 } })
    const { clock, state, fixtures } = emulator
    for (const zone of state.zones.values()) zone.addresses = 'whole'
    const { loggingUrl } = await emulator.listen()
    const now = clock.now().getTime()
    // Not three full hours: the start of the first window was beyond the retention when the worker read its clock.
    const begin = now - 3 * hour + 10 * minute
    try {
      await exportTo(room, {
        loggingUrl: loggingUrl.href,
        accessKey: fixtures.credentials.accessKey,
        zones: ['10001'],
        plan: { window: 10 * minute, lateness: 0, rechecks: [], margin: 69 * hour, retention: 72 * hour },
        now,
        ledger: 'disk/state',
        sink: { type: 'files', path: 'disk/logs', format: 'ndjson', compression: 'none' },
        privacy: minimalConfig.privacy,
        ballast: 'disk/ballast',
      })
      const exported = readFiles(join(folder, 'out'))
      expect(exported.length).toBeGreaterThan(10)
      const stored = state.logs.rows('10001', begin, now)
      expect(violations(exported, { stored, from: begin, to: now - 10 * minute })).toEqual([])
    } finally {
      await emulator.close()
    }
  },
)

/** Exports to a disk with this much free space. `out` holds its final content. @throws if the disk was never full, or the export hangs */
async function exportTo(room: string, assignment: Assignment): Promise<void> {
  const worker = fileURLToPath(new URL('../crash/worker.ts', import.meta.url))
  const run = promisify(execFile)
  await mkdir(join(folder, 'disk'))
  await run('unshare', [...isolated, script, 'sh', room, process.execPath, worker, JSON.stringify(assignment)], {
    cwd: folder,
  })
}
