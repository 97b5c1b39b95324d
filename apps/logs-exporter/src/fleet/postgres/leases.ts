import type { Coordinator, Lease } from '../coordinator.ts'
import { pause } from '../pause.ts'
import { type Database, isPassing } from './database.ts'

/** The times of a lease, in milliseconds. */
export interface LeaseTimes {
  /** How long a lease lasts from its last renewal. */
  readonly leaseMs: number
  /** How often leases are renewed. */
  readonly renewMs: number
  /** How long before the end of a lease that could not be renewed all I/O for its zone stops. */
  readonly marginMs: number
  /** How long a zone stays quiet after the end of a lease that was not given back: requests may be under way, and count. */
  readonly quietMs: number
  /**
   * How long a due zone is left to the worker that had it last, which knows it: another one would have to wait for the rate
   * limit, and to compare sink and ledger.
   */
  readonly affinityMs: number
  /** How often is asked for a zone while none is due. */
  readonly pollMs: number
}

/** What a worker of a fleet runs on. */
export interface FleetOptions extends LeaseTimes {
  /** The name of this worker, for people. */
  readonly owner: string
  /** The time by the clock of the platform, in ms since 1970: zones are due by it. */
  now(): number
  /** Told of each failure of the database that is waited out. */
  onTrouble?(error: unknown): void
  /** Told when the database answered again after trouble, and of each renewal. */
  onContact?(): void
}

/** A coordinator whose leases can be checked by the clock at any moment. */
export interface FleetCoordinator extends Coordinator {
  /**
   * Ends every lease that is over by the clock. Called before each request: a process that was stopped wakes up with
   * answers to handle before its timers run, and must not ask on.
   */
  expire(): void
  /** How many zones this worker has. */
  readonly held: number
}

interface Held extends Lease {
  readonly abort: AbortController
  /** By the worker's own clock. */
  endsAt: number
}

/**
 * Shares zones between processes by leases in PostgreSQL. Leases end by the clock of the database; a worker counts its
 * own from before it asked, so it stops before anybody else may begin.
 *
 * @param claims for claims and releases
 * @param renewals a database of its own, so that no renewal waits behind another statement; closed with the coordinator
 */
export function createLeases(claims: Database, renewals: Database, options: FleetOptions): FleetCoordinator {
  const { leaseMs, renewMs, marginMs, quietMs, affinityMs, pollMs, owner } = options
  const held = new Map<string, Held>()
  const closed = new AbortController()

  const end = (lease: Held) => {
    if (held.get(lease.zone) === lease) held.delete(lease.zone)
    lease.abort.abort(new Error(`The lease of zone ${lease.zone} is over.`))
  }
  const expire = () => {
    const now = elapsed()
    for (const lease of held.values()) if (now >= lease.endsAt - marginMs) end(lease)
  }
  const renew = async () => {
    const mine = [...held.values()]
    if (mine.length === 0) return
    const asked = elapsed()
    try {
      const rows = await renewals.query<{ zone: string; epoch: string }>(renewal, [
        mine.map(({ zone }) => zone),
        mine.map(({ epoch }) => epoch),
        leaseMs,
      ])
      options.onContact?.()
      const kept = new Map(rows.map(({ zone, epoch }) => [zone, Number(epoch)]))
      for (const lease of mine) {
        if (kept.get(lease.zone) === lease.epoch) lease.endsAt = asked + leaseMs
        else if (held.get(lease.zone) === lease) end(lease)
      }
    } catch (error) {
      options.onTrouble?.(error)
    }
  }
  const renewing = repeat(renewMs, renew, closed.signal)
  const expiring = repeat(Math.min(renewMs, marginMs) / 4, async () => expire(), closed.signal)

  return {
    expire,
    get held() {
      return held.size
    },
    async claim(signal) {
      const waits = AbortSignal.any([signal, closed.signal])
      while (!waits.aborted) {
        const asked = elapsed()
        try {
          const values = [owner, options.now(), leaseMs, quietMs, affinityMs]
          const [row] = await claims.query<{ zone: string; epoch: string }>(claim, values)
          options.onContact?.()
          if (row) {
            const abort = new AbortController()
            const lease = {
              zone: row.zone,
              epoch: Number(row.epoch),
              signal: abort.signal,
              abort,
              endsAt: asked + leaseMs,
            }
            held.set(lease.zone, lease)
            return lease
          }
        } catch (error) {
          if (!isPassing(error)) throw error
          options.onTrouble?.(error)
        }
        await pause(pollMs * (0.5 + Math.random()), waits)
      }
      return undefined
    },
    async release(lease, nextDue, deadline) {
      const mine = held.get(lease.zone)
      if (mine?.epoch !== lease.epoch) return
      held.delete(lease.zone)
      // Where the database is away the lease runs out by itself, and the zone is taken as one whose owner died.
      await claims.query(release, [lease.zone, lease.epoch, nextDue, deadline]).catch((error) => {
        if (!isPassing(error)) throw error
        options.onTrouble?.(error)
      })
    },
    async close() {
      if (closed.signal.aborted) return
      closed.abort()
      for (const lease of held.values()) end(lease)
      await Promise.all([renewing, expiring])
      // Others may have the zones at once. Where the database is away they wait a little.
      await renewals.query(leave, [owner]).catch(() => {})
      await renewals.close()
    },
  }
}

/**
 * Milliseconds since some moment, never going back. A process that was stopped finds the time passed; so does one on a
 * machine that slept, where only the wall clock went on: a leap of that is believed, since ending a lease early harms nobody.
 */
const elapsed = (() => {
  let total = 0
  let ran = performance.now()
  let wall = Date.now()
  return () => {
    const [ranNow, wallNow] = [performance.now(), Date.now()]
    const leapt = wallNow - wall - (ranNow - ran)
    total += ranNow - ran + (leapt > 1_000 ? leapt : 0)
    ran = ranNow
    wall = wallNow
    return total
  }
})()

async function repeat(everyMs: number, step: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(everyMs, signal)
    if (signal.aborted) return
    await step()
  }
}

const milliseconds = (parameter: string) => `${parameter} * interval '1 millisecond'`

const claim = `
  with next as materialized (
    select zone from cdn_logs_exporter.zones
    where not retired and next_due <= $2::float8 and (
      lease_until < clock_timestamp()
      or lease_until is null and (owner is null or owner = $1 or next_due <= $2::float8 - $5::float8)
    )
    order by deadline, zone
    limit 1
    for update skip locked
  )
  update cdn_logs_exporter.zones as z
  set owner = $1, epoch = z.epoch + 1, lease_until = clock_timestamp() + ${milliseconds('$3::float8')},
    quiet_until = case when z.lease_until is null then z.quiet_until
      else greatest(z.quiet_until, z.lease_until + ${milliseconds('$4::float8')}) end
  from next where z.zone = next.zone
  returning z.zone, z.epoch`

const renewal = `
  update cdn_logs_exporter.zones as z
  set lease_until = clock_timestamp() + ${milliseconds('$3::float8')}
  from unnest($1::text[], $2::bigint[]) as mine (zone, epoch)
  where z.zone = mine.zone and z.epoch = mine.epoch and z.lease_until is not null
  returning z.zone, z.epoch`

const release = `
  update cdn_logs_exporter.zones
  set lease_until = null, next_due = $3::float8, deadline = $4::float8
  where zone = $1 and epoch = $2`

const leave = 'update cdn_logs_exporter.zones set owner = null where owner = $1 and lease_until is null'
