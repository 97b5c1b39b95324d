import type { Coordinator, Lease } from '../coordinator.ts'
import { elapsed } from '../elapsed.ts'
import { pause } from '../pause.ts'
import { type Database, isPassing } from './database.ts'
import * as sql from './lease-statements.ts'

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
  /** Ends the waiting for a database that is away at the start. */
  readonly signal?: AbortSignal
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

/** Who waits for a zone. */
interface Waiter {
  give(lease: Lease | undefined): void
  reject(error: unknown): void
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
  const waiting = new Set<Waiter>()
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
      const rows = await renewals.query<{ zone: string; epoch: string }>(sql.renewal, [
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
  /** Takes as many zones as are waited for in one statement: hundreds of waiters that ask one by one would be a load. */
  const take = async (): Promise<Held[]> => {
    const asked = elapsed()
    try {
      const values = [owner, options.now(), leaseMs, quietMs, affinityMs, waiting.size]
      const rows = await claims.query<{ zone: string; epoch: string }>(sql.claim, values)
      options.onContact?.()
      return rows.map(({ zone, epoch }) => {
        const abort = new AbortController()
        return { zone, epoch: Number(epoch), signal: abort.signal, abort, endsAt: asked + leaseMs }
      })
    } catch (error) {
      if (!isPassing(error)) throw error
      options.onTrouble?.(error)
      return []
    }
  }
  let serving: Promise<void> | undefined
  const serve = async () => {
    while (waiting.size > 0) {
      const wanted = waiting.size
      const leases = await take()
      for (const lease of leases) {
        const [waiter] = waiting
        if (!waiter) {
          // It left meanwhile; others may have the zone at once.
          await claims.query(sql.giveBack, [lease.zone, lease.epoch])
          continue
        }
        waiting.delete(waiter)
        held.set(lease.zone, lease)
        waiter.give(lease)
      }
      if (leases.length < wanted) await pause(pollMs * (0.5 + Math.random()), closed.signal)
    }
  }
  const serveAll = () => {
    const fail = (error: unknown) => {
      for (const waiter of waiting) waiter.reject(error)
      waiting.clear()
    }
    serving ??= serve()
      .catch(fail)
      .finally(() => {
        serving = undefined
        if (waiting.size > 0) serveAll()
      })
  }
  const renewing = repeat(renewMs, renew, closed.signal)
  const expiring = repeat(Math.min(renewMs, marginMs) / 4, async () => expire(), closed.signal)

  return {
    expire,
    get held() {
      return held.size
    },
    claim(signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted || closed.signal.aborted) return resolve(undefined)
        const leave = () => {
          waiting.delete(waiter)
          resolve(undefined)
        }
        const waiter: Waiter = {
          give(lease) {
            signal.removeEventListener('abort', leave)
            resolve(lease)
          },
          reject,
        }
        waiting.add(waiter)
        signal.addEventListener('abort', leave, { once: true })
        serveAll()
      })
    },
    async release(lease, nextDue, deadline) {
      const mine = held.get(lease.zone)
      if (mine?.epoch !== lease.epoch) return
      held.delete(lease.zone)
      // Where the database is away the lease runs out by itself, and the zone is taken as one whose owner died.
      await claims.query(sql.release, [lease.zone, lease.epoch, nextDue, deadline]).catch((error) => {
        if (!isPassing(error)) throw error
        options.onTrouble?.(error)
      })
    },
    async close() {
      if (closed.signal.aborted) return
      closed.abort()
      for (const waiter of waiting) waiter.give(undefined)
      waiting.clear()
      for (const lease of held.values()) end(lease)
      await Promise.all([renewing, expiring, serving])
      // Others may have the zones at once. Where the database is away they wait a little.
      await renewals.query(sql.leave, [owner]).catch(() => {})
      await renewals.close()
    },
  }
}

async function repeat(everyMs: number, step: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(everyMs, signal)
    if (signal.aborted) return
    await step()
  }
}
