/**
 * Runs shards as an orchestrator does: `bin.ts run --shard I/N` in separate processes, each with its own disk. A process that ends
 * is restarted. Shards are killed, are stopped, lose a disk, run twice, and change their number by rolling updates. Answers of S3
 * get lost. Finally, the output of the shards is compared with the platform's store.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmulator } from '@cdn/emulator'
import { shardOf } from '../../src/config/shard.ts'
import { violations } from '../support/oracle.ts'
import { startS3 } from '../support/s3-server.ts'
import { readS3 } from './read-back.ts'
import { createSupervisor } from './supervisor.ts'

/** Settings of a campaign. Times are in ms. */
export interface Campaign {
  readonly shards: number
  readonly zones: number
  readonly hotZones: number
  /** Traffic of each hot zone. The other zones have one row per second. */
  readonly hotRowsPerSecond: number
  /** Duration of the disturbances. */
  readonly forMs: number
  readonly killEveryMs: number
  /** Whether a killed process loses its disk. */
  readonly isDiskLostWithKill: boolean
  readonly stopMs: number
  readonly windowMs: number
  readonly rechecksMs: readonly number[]
  readonly maxLatenessMs: number
  /** How far in the past the zones begin. */
  readonly pastMs: number
  /** Time limit for the shards to export the rest after the disturbances. */
  readonly maxCatchUpMs: number
}

/** Events and findings of a campaign. */
export interface CampaignResult {
  readonly comparedMs: number
  readonly rows: number
  readonly segments: number
  readonly kills: number
  readonly rolled: number
  readonly lostAnswers: number
  /** Number of responses with status 429. */
  readonly overLimit: number
  /** Number of ranges reported as lost. */
  readonly gaps: number
  readonly violations: readonly string[]
}

const retentionMs = 72 * 3_600_000

/**
 * Runs a campaign with N shards, then N + 1, then N again.
 *
 * @throws Error if the shards do not catch up in time
 */
export async function runCampaign(campaign: Campaign): Promise<CampaignResult> {
  const { shards, forMs, killEveryMs, stopMs, windowMs, rechecksMs, maxLatenessMs, pastMs } = campaign
  const late = { lateShare: 0.2, maxLatenessMs, tieShare: 0.1 }
  const traffic = { zones: campaign.zones, rowsPerSecond: 1, ...late }
  const emulator = await createEmulator({ clock: 'real', traffic, variants: { pageCap: 1000 } })
  const zones = [...emulator.state.zones.keys()].filter((id) => id.length === 5)
  emulator.state.addTraffic({
    zones: zones.slice(0, campaign.hotZones),
    rowsPerSecond: campaign.hotRowsPerSecond,
    ...late,
  })
  for (const zone of emulator.state.zones.values()) zone.addresses = 'whole'
  const { loggingUrl } = await emulator.listen()
  const store = await startS3()
  const folder = await mkdtemp(join(tmpdir(), 'exporter-shards-'))
  const count = { kills: 0, rolled: 0, lostAnswers: 0 }
  store.fault = ({ method }) => {
    const chance = method === 'PUT' ? Math.random() : 1
    if (chance < 0.05) count.lostAnswers++
    return chance < 0.05 ? 'lose-answer' : chance < 0.08 ? 'cut-before' : chance < 0.1 ? 'unavailable' : undefined
  }
  const secret = { env: 'S3_KEY' }
  const supervisor = createSupervisor({
    folder,
    isDiskLostWithKill: campaign.isDiskLostWithKill,
    env: { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey, S3_KEY: 'S3RVER' },
    config: {
      loggingUrl: loggingUrl.href,
      zones,
      window: `${windowMs}ms`,
      lateness: '1s',
      rechecks: rechecksMs.map((recheck) => `${recheck}ms`),
      margin: `${retentionMs - pastMs}ms`,
      sink: {
        type: 's3',
        endpoint: store.endpoint,
        bucket: store.bucket,
        credentials: { accessKeyId: secret, secretAccessKey: secret },
      },
      listen: '127.0.0.1:0',
    },
  })
  const all = Array.from({ length: shards }, (_, index) => index)
  let of = shards
  const roll = async (to: number) => {
    if (to > of) await supervisor.start(String(of), `${of}/${to}`) // before the others end, so that two shards have its zones for a while
    for (const index of all.toReversed()) {
      await supervisor.end(String(index), 'SIGTERM')
      await supervisor.start(String(index), `${index}/${to}`)
      count.rolled++
      await sleep(forMs / 40)
    }
    if (to < of) await supervisor.end(String(to), 'SIGTERM')
    of = to
  }
  for (const index of all) await supervisor.start(String(index), `${index}/${of}`)
  const end = performance.now() + forMs
  await Promise.all([
    (async () => {
      for (let n = 0; performance.now() < end; n++) {
        await sleep(killEveryMs)
        supervisor.signal(String(n % shards), 'SIGKILL')
        count.kills++
      }
    })(),
    (async () => {
      await sleep(forMs / 5)
      supervisor.signal('1', 'SIGSTOP')
      await sleep(stopMs)
      supervisor.signal('1', 'SIGCONT')
    })(),
    (async () => {
      await sleep(forMs / 4)
      await supervisor.end('0', 'SIGKILL')
      supervisor.loseDisk('0')
      await supervisor.start('0', `0/${of}`)
      await supervisor.start('twin', `1/${of}`)
      await sleep(forMs / 5)
      await supervisor.end('twin', 'SIGKILL')
      await roll(shards + 1)
      await sleep(forMs / 8)
      await roll(shards)
    })(),
  ])
  const to = Math.floor((emulator.clock.now().getTime() - maxLatenessMs / 2) / windowMs) * windowMs
  const ownZones = (index: number) => zones.filter((zone) => shardOf(zone, shards) === index)
  const behind = () => all.filter((index) => !supervisor.isDone(String(index), ownZones(index), to))
  const giveUpAt = performance.now() + campaign.maxCatchUpMs
  while (behind().length > 0 && performance.now() < giveUpAt) await sleep(200)
  const stuck = behind()
  await Promise.all(supervisor.names().map((name) => supervisor.end(name, 'SIGTERM')))
  const exported = await readS3(store, '')
  const of1 = (zone: string) => exported.filter((segment) => segment.zone === zone)
  const from = Math.max(...zones.map((zone) => Math.min(...of1(zone).map((segment) => segment.from))))
  const problems = zones.flatMap((zone) =>
    violations(of1(zone), { stored: [...emulator.state.logs.rows(zone, from, to)], from, to }).map(
      (text) => `zone ${zone}: ${text}`,
    ),
  )
  const overLimit = emulator.journal.violations.filter(({ name }) => name === 'over-limit').length
  await emulator.close()
  await store.stop()
  await rm(folder, { recursive: true, force: true })
  if (stuck.length > 0)
    throw new Error(`The shards ${stuck.join(', ')} did not export up to ${new Date(to).toISOString()} in time`)
  const rows = exported.reduce((sum, { lines }) => sum + lines.length, 0)
  return {
    ...count,
    comparedMs: to - from,
    rows,
    segments: exported.length,
    overLimit,
    gaps: supervisor.gaps(),
    violations: problems,
  }
}
