/**
 * How many turns a second the PostgreSQL of a fleet carries, for docs/scaling.md:
 * `node tests/src/exporter/fleet/measure.ts [zones] [seconds]`.
 */
import { openFleet } from '@cdn/logs-exporter/src/fleet/postgres/open-fleet.ts'
import { startPostgres } from '../postgres.ts'

const [zones = 10_000, seconds = 10] = process.argv.slice(2).map(Number)
const parallel = 64
const window = 300_000

const postgres = await startPostgres({ isDurable: true })
const url = await postgres.database('measure')
const ids = Array.from({ length: zones }, (_, n) => String(n + 1))
const { coordinator, ledger } = await openFleet(url, ids, { now: () => Date.now() })
const stop = AbortSignal.timeout(seconds * 1_000)
let turns = 0

/** What a turn asks of the database where a zone has one window to record. */
async function work(): Promise<void> {
  for (;;) {
    const lease = await coordinator.claim(stop)
    if (!lease) return
    const { zone, epoch } = lease
    await ledger.recordBusyUntil(zone, Number.POSITIVE_INFINITY, epoch)
    await ledger.due(zone, 0, 100)
    const at = (await ledger.position(zone)) ?? 0
    if (at === 0) await ledger.begin(zone, 0, epoch)
    await ledger.windows(zone, at, at + window)
    await ledger.gaps(zone)
    const state = { zone, from: at, to: at + window, rows: 9, nextRevision: 1, source: 'v2' as const }
    await ledger.record({ ...state, lookedAt: at, lookDue: at + 2 * window }, undefined, epoch)
    await ledger.forget(zone, at - 72 * 3_600_000, epoch)
    await ledger.nextLook(zone)
    await ledger.recordBusyUntil(zone, Date.now() + 10_000, epoch)
    await coordinator.release(lease, 0, at + window)
    turns++
  }
}

await Promise.all(Array.from({ length: parallel }, work))
console.log(
  `${Math.round(turns / seconds)} turns a second with ${zones} zones; 10,000 zones need 34 with windows of five minutes`,
)
await coordinator.close()
await ledger.close()
await postgres.stop()
