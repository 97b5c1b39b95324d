/**
 * An exporter in a separate process that can be killed: `node worker.ts '<assignment>'`. Exports all that is due and exits with 0.
 * Pauses are shortened to a thousandth, except those between attempts of the sink.
 */

import { rmSync } from 'node:fs'
import { assertDefined } from '@cdn/kit/assert-defined'
import { sleep as timerSleep } from '@cdn/kit/wait'
import { runEngine } from '../../src/engine/engine.ts'
import { createZoneSchedule } from '../../src/engine/schedule.ts'
import { openDeadLetters } from '../../src/ledger/dead-letters.ts'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { createApiReader } from '../../src/reader/api-reader.ts'
import { createEncoder } from '../../src/rows/encoder.ts'
import type { Assignment, KillPoint } from './assignment.ts'
import { openKillingSink, withKillPoints } from './killing-sink.ts'

const {
  loggingUrl,
  accessKey,
  zones,
  plan,
  now: base,
  ledger: folder,
  sink: config,
  privacy,
  kill,
  ballast,
}: Assignment = JSON.parse(assertDefined(process.argv[2]))
let count = 0
const reach = (point: KillPoint) => {
  if (point === kill?.point && ++count === kill.nth) process.kill(process.pid, 'SIGKILL')
}

const haste = 1000
const sleep = (ms: number, signal?: AbortSignal) => timerSleep(ms / haste, signal)
const now = () => base + performance.now() * haste
const wait = (ms: number, signal: AbortSignal) => sleep(ms, signal).catch(() => {})

const stop = new AbortController()
const failed = new Set<string>()
const idle = new Set<string>()
const ledger = openLedger(folder)
const sink = await openKillingSink(config, reach)
await sink.check(stop.signal)
await runEngine({
  // During the work, the platform's clock stands still at a time with a fraction of a millisecond.
  reader: {
    ...createApiReader({ clients: { baseUrl: loggingUrl, accessKey }, now, sleep }),
    now: () => base + 0.25,
    shownTime: () => base,
    synchronize: async () => {},
    requireAccess: async () => {},
  },
  sink,
  ledger: withKillPoints(ledger, { record: ['record', 'after record'], recordGap: ['record', 'after record'] }, reach),
  schedule: createZoneSchedule(zones, { elapsed: now, sleep: wait }),
  encode: createEncoder({ ...sink, privacy }),
  rejects: openDeadLetters(folder),
  plan,
  observe(event) {
    if (event.type === 'failed') {
      failed.add(event.zone)
      if (ballast && /disk( is|) full/.test(event.error.message)) rmSync(ballast, { force: true })
    }
    if (event.type !== 'cycle') return
    if (event.waitMs > 0 && !failed.delete(event.zone)) idle.add(event.zone)
    if (idle.size === zones.length) stop.abort()
  },
  signal: stop.signal,
})
await sink.close()
await ledger.close()
