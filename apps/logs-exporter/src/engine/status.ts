import type { Gap, Ledger } from '../ledger/ledger.ts'
import { deadlineOf, type Plan, settledUntil } from './plan.ts'

/** Where a zone is, as its ledger says; times in ms since 1970. */
export interface ZoneStatus {
  readonly zone: string
  /** The start of the oldest open window; undefined where no daemon has exported the zone. */
  readonly position: number | undefined
  /** How far the position is behind the clock, in ms. */
  readonly lag: number | undefined
  /** Settled windows from the position on, in ms of logs. */
  readonly backlog: number | undefined
  /** When the oldest open window must have been read. */
  readonly deadline: number | undefined
  readonly nextLook: number | undefined
  readonly gaps: readonly Gap[]
  /** Windows that were read, of a zone without a position: by backfills, which leave none. The times may have holes between. */
  readonly backfilled: { readonly windows: number; readonly from: number; readonly to: number } | undefined
}

/** Reads out a ledger. @param now by the platform's clock */
export async function zoneStatus(ledger: Ledger, zone: string, now: number, plan: Plan): Promise<ZoneStatus> {
  const position = await ledger.position(zone)
  return {
    zone,
    position,
    lag: position === undefined ? undefined : now - position,
    backlog: position === undefined ? undefined : Math.max(0, settledUntil(now, plan) - position),
    deadline: position === undefined ? undefined : deadlineOf(position, plan),
    nextLook: await ledger.nextLook(zone),
    gaps: await ledger.gaps(zone),
    backfilled: position === undefined ? await backfilled(ledger, zone) : undefined,
  }
}

async function backfilled(ledger: Ledger, zone: string): Promise<ZoneStatus['backfilled']> {
  const windows = await ledger.windows(zone, 0, Number.POSITIVE_INFINITY)
  const [first, last] = [windows[0], windows.at(-1)]
  return first && last && { windows: windows.length, from: first.from, to: last.to }
}
