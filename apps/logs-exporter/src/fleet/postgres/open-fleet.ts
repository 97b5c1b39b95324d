import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { rateLimit } from '@cdn/api'
import type { Ledger } from '../../ledger/ledger.ts'
import { pause } from '../pause.ts'
import { type Database, isPassing, openDatabase } from './database.ts'
import { createLeases, type FleetCoordinator, type FleetOptions, type LeaseTimes } from './leases.ts'
import { createFleetLedger } from './ledger.ts'
import { tables } from './tables.ts'

/** The times of a fleet (design §7); margin and polling are ours. */
export const leaseTimes: LeaseTimes = {
  leaseMs: 15_000,
  renewMs: 5_000,
  marginMs: 3_000,
  // A window of the rate limit, and the longest time that a request can be under way.
  quietMs: rateLimit.windowMs + 60_000,
  // As long as another worker would have to wait for the rate limit.
  affinityMs: rateLimit.windowMs,
  pollMs: 1_000,
}

/** A worker's part in a fleet. */
export interface Fleet {
  readonly coordinator: FleetCoordinator
  readonly ledger: Ledger
  /** Where every zone of the fleet is, and since when it has work that nobody does. */
  positions(): Promise<
    readonly { readonly zone: string; readonly position: number | undefined; readonly due: number }[]
  >
}

/**
 * Joins a fleet: makes its tables where they are missing, and brings the zones along. Those of the worker that started last
 * are the fleet's; others are kept, with what is known of them, but not worked on.
 *
 * @param url of a PostgreSQL database that this fleet has for itself; it is never shown
 * @param zones ids of pull zones
 * @param options the clock, the times (those of the design where absent), who is told of trouble
 * @throws pg's error where the database does not let us in, or is away for a minute; the signal's reason
 */
export async function openFleet(
  url: string,
  zones: readonly string[],
  options: Omit<FleetOptions, keyof LeaseTimes | 'owner'> & { readonly times?: LeaseTimes },
): Promise<Fleet> {
  const times = options.times ?? leaseTimes
  // A statement gives up before the leases end for want of a renewal.
  const patienceMs = times.leaseMs / 3
  const statements = openDatabase(url, { connections: 8, patienceMs })
  const renewals = openDatabase(url, { connections: 1, patienceMs })
  try {
    await join(statements, zones, options)
  } catch (error) {
    await Promise.all([statements.close(), renewals.close()])
    throw error
  }
  const owner = `${hostname()}/${process.pid}/${randomUUID()}`
  const { onTrouble } = options
  return {
    coordinator: createLeases(statements, renewals, { ...options, ...times, owner }),
    ledger: createFleetLedger(statements, { patienceMs: times.leaseMs, ...(onTrouble && { onTrouble }) }),
    async positions() {
      const rows = await statements.query<{ zone: string; position: number | null; due: number }>(positions)
      return rows.map(({ zone, position, due }) => ({ zone, position: position ?? undefined, due }))
    },
  }
}

async function join(
  database: Database,
  zones: readonly string[],
  { onTrouble, signal = never }: Pick<FleetOptions, 'onTrouble' | 'signal'>,
): Promise<void> {
  // One worker at a time: `if not exists` is no protection against a neighbour who starts in the same moment. Statements that
  // are sent together are one transaction.
  const apply = `select pg_advisory_xact_lock(7220617); ${tables}`
  for (let attempts = 60; ; attempts--) {
    try {
      await database.query(apply)
      await database.query(bring, [zones])
      return
    } catch (error) {
      if (attempts === 0 || !isPassing(error)) throw error
      onTrouble?.(error)
      await pause(1_000, signal)
      signal.throwIfAborted()
    }
  }
}

const never = new AbortController().signal

const bring = `
  with mine as (select unnest($1::text[]) as zone), added as (
    insert into cdn_logs_exporter.zones as z (zone) select zone from mine order by zone
    on conflict (zone) do update set retired = false where z.retired
  )
  update cdn_logs_exporter.zones as z set retired = true
  where not retired and not exists (select 1 from mine where mine.zone = z.zone)`

const positions = `
  select zone, position, case when lease_until >= clock_timestamp() then 'infinity' else next_due end as due
  from cdn_logs_exporter.zones where not retired`
