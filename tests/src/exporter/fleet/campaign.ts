/**
 * Lets a fleet work while its processes are killed and stopped, its database restarts and answers get lost, and compares what
 * it has written with the store of the platform.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmulator, type Emulator } from '@cdn/emulator'
import type { LeaseTimes } from '@cdn/logs-exporter/src/fleet/postgres/leases.ts'
import { type Exported, violations } from '@cdn/logs-exporter/tests/support/oracle.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { type S3Fault, type S3Store, startS3 } from '../s3-server.ts'
import { startCrew } from './crew.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { readPostgres, readS3 } from './read-back.ts'

/** What a campaign is like; all times in ms. */
export interface Campaign {
  readonly sink: 's3' | 'postgres'
  readonly workers: number
  readonly zones: number
  /** Zones with so many rows that the rate limit holds them back. */
  readonly hotZones: number
  /** How long it is disturbed. */
  readonly forMs: number
  readonly killEveryMs: number
  /** How long one is stopped, halfway. */
  readonly stopMs: number
  /** How far back the zones begin. */
  readonly pastMs: number
  readonly windowMs: number
  readonly looksMs: readonly number[]
  /** How late rows are at most: less than the last look, so that every row is there when it is read the last time. */
  readonly maxLatenessMs: number
  readonly times: LeaseTimes
}

/** What it has shown. */
export interface CampaignResult {
  readonly violations: readonly string[]
  /** 429s that somebody earned. */
  readonly overLimit: number
  /** The length of the range that was compared. */
  readonly comparedMs: number
  readonly rows: number
  readonly segments: number
  readonly revisions: number
  readonly kills: number
  readonly stops: number
  /** Connections to the database that were cut before the answer, and S3 answers that were lost. */
  readonly cuts: number
  readonly exitCodes: readonly (number | null)[]
}

const latenessMs = 1_000
const retentionMs = 72 * 3_600_000

export async function runCampaign(campaign: Campaign): Promise<CampaignResult> {
  const postgres = await startPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'exporter-fleet-'))
  const emulator = await createPlatform(campaign)
  const { loggingUrl } = await emulator.listen()
  const proxy = await startCuttingProxy(postgres.port, isCut)
  const url = await postgres.database('fleet')
  const proxied = url.replace(`:${postgres.port}/`, `:${proxy.port}/`)
  const store = campaign.sink === 's3' ? await startS3() : undefined
  let lostAnswers = 0
  if (store) {
    store.fault = ({ method }) => {
      const fault = method === 'PUT' ? putFault() : undefined
      if (fault === 'lose-answer') lostAnswers++
      return fault
    }
  }
  const deaths: string[] = []
  const zones = zonesOf(emulator)
  const align = (time: number) => Math.floor(time / campaign.windowMs) * campaign.windowMs
  try {
    const config = join(folder, 'config.yaml')
    await writeFile(config, configOf({ ...campaign, zoneIds: zones, loggingUrl: loggingUrl.href, folder, store }))
    const env = { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey, DATABASE: proxied, S3_KEY: 'S3RVER' }
    const crew = startCrew(campaign.workers, config, campaign.times, env, (why) => deaths.push(why))
    await isBegun(postgres, url, () => deaths)
    await disturb(campaign, crew, postgres)
    // What is this old is read for the last time by workers that nobody disturbs any more.
    const to = align(emulator.clock.now().getTime() - campaign.maxLatenessMs / 2)
    await isDone(postgres, url, to, () => deaths)
    const exitCodes = await crew.end()
    const exported = store ? await readS3(store, '') : await readPostgres(postgres, url)
    const from = await firstWindows(postgres, url)
    const found = zones.flatMap((zone) => compare(emulator, exported, { zone, from, to, replacesNul: !store }))
    return {
      violations: [...deaths, ...found],
      comparedMs: to - from,
      overLimit: emulator.journal.verdicts.filter(({ name }) => name === 'over-limit').length,
      rows: exported.reduce((sum, { lines }) => sum + lines.length, 0),
      segments: exported.length,
      revisions: exported.filter(({ revision }) => revision > 0).length,
      ...crew.done,
      cuts: proxy.cuts + lostAnswers,
      exitCodes,
    }
  } finally {
    proxy.stop()
    await emulator.close()
    await store?.stop()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function createPlatform({ zones, hotZones, maxLatenessMs }: Campaign): Promise<Emulator> {
  const late = { lateShare: 0.2, maxLatenessMs, tieShare: 0.1 }
  const emulator = await createEmulator({
    clock: 'real',
    traffic: { zones, rowsPerSecond: 1, ...late },
    variants: { pageCap: 1000, fileShield: 'left out' },
  })
  const hot = zonesOf(emulator).slice(0, hotZones)
  emulator.state.addTraffic({ zones: hot, rowsPerSecond: 400, ...late })
  // So that nothing of a row is hidden from the comparison.
  for (const zone of emulator.state.zones.values()) zone.addresses = 'whole'
  return emulator
}

function zonesOf({ state }: Emulator): string[] {
  return [...state.zones.keys()].filter((id) => id.length === 5)
}

function configOf(
  given: Campaign & { zoneIds: string[]; loggingUrl: string; folder: string; store: S3Store | undefined },
): string {
  const { zoneIds, loggingUrl, folder, pastMs, windowMs, looksMs, store } = given
  const s3 = store && {
    type: 's3',
    endpoint: store.endpoint,
    bucket: store.bucket,
    credentials: { accessKeyId: { env: 'S3_KEY' }, secretAccessKey: { env: 'S3_KEY' } },
  }
  // JSON is YAML.
  return JSON.stringify({
    loggingUrl,
    zones: zoneIds,
    window: `${windowMs}ms`,
    lateness: `${latenessMs}ms`,
    looks: looksMs.map((look) => `${look}ms`),
    margin: `${retentionMs - pastMs}ms`,
    ledger: join(folder, 'state'),
    fleet: { postgres: { env: 'DATABASE' } },
    sink: s3 ?? { type: 'postgres', url: { env: 'DATABASE' } },
    listen: '127.0.0.1:0',
  })
}

async function disturb(
  { forMs, killEveryMs, stopMs }: Campaign,
  crew: ReturnType<typeof startCrew>,
  postgres: Postgres,
): Promise<void> {
  const end = performance.now() + forMs
  const killing = (async () => {
    while (performance.now() + killEveryMs < end) {
      await sleep(killEveryMs)
      await crew.kill()
    }
  })()
  const stopping = sleep(forMs / 3).then(() => crew.stop(stopMs))
  const restarting = sleep(forMs / 2).then(() => postgres.restart())
  await Promise.all([killing, stopping, restarting, sleep(forMs)])
}

/** From when on all zones are exported: each begins when it has its first turn. */
async function firstWindows(postgres: Postgres, url: string): Promise<number> {
  const text = `select max(first) as all from (select min(start_ms) as first from cdn_logs_exporter.windows group by zone)`
  const [row] = await postgres.query(url, text)
  return Number(row?.['all'])
}

/** Waits until a zone has been begun: there is nothing to disturb before. */
async function isBegun(postgres: Postgres, url: string, deaths: () => readonly string[]): Promise<void> {
  const [tables, begun] = [
    `select to_regclass('cdn_logs_exporter.windows') is not null as yes`,
    'select exists (select from cdn_logs_exporter.windows) as yes',
  ]
  for (const text of [tables, begun])
    await until(async () => (await postgres.query(url, text))[0]?.['yes'] === true, deaths)
}

/** Waits until the ledger says that no window that ends by a time is open, or has a look left. */
function isDone(postgres: Postgres, url: string, to: number, deaths: () => readonly string[]): Promise<void> {
  const open = `
    select zone from cdn_logs_exporter.zones where position is null or position < $1
    union select zone from cdn_logs_exporter.windows where end_ms <= $1 and look_due is not null`
  return until(async () => (await postgres.query(url, open, [to])).length === 0, deaths)
}

async function until(isSo: () => Promise<boolean>, deaths: () => readonly string[]): Promise<void> {
  while (!(await isSo())) {
    if (deaths().length > 0) throw new Error(deaths().join('\n'))
    await sleep(250)
  }
}

function compare(
  { state }: Emulator,
  exported: readonly Exported[],
  { zone, from, to, replacesNul }: { zone: string; from: number; to: number; replacesNul: boolean },
): string[] {
  const stored = state.logs.rows(zone, from, to)
  const own = exported.filter((segment) => segment.zone === zone)
  return violations(own, { stored, from, to, replacesNul }).map((violation) => `zone ${zone}: ${violation}`)
}

/** Of statements some are cut before their answer; of those that commit, many. */
function isCut(sent: Buffer): boolean {
  return Math.random() < (/commit/i.test(sent.toString('latin1')) ? 0.1 : 0.002)
}

function putFault(): S3Fault | undefined {
  const chance = Math.random()
  return chance < 0.05 ? 'lose-answer' : chance < 0.08 ? 'cut-before' : chance < 0.1 ? 'unavailable' : undefined
}
