import type { Gap, Ledger } from '../ledger/ledger.ts'
import { deadlineOf, type Plan, settledUntil } from './plan.ts'

/** Where a zone is, as its ledger says; times in ms since 1970. */
export interface ZoneStatus {
  readonly zone: string
  /** The start of the oldest open window; undefined where the zone was never exported. */
  readonly position: number | undefined
  /** How far the position is behind the clock, in ms. */
  readonly lag: number | undefined
  /** Settled windows from the position on, in ms of logs. */
  readonly backlog: number | undefined
  /** When the oldest open window must have been read. */
  readonly deadline: number | undefined
  readonly nextLook: number | undefined
  readonly gaps: readonly Gap[]
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
  }
}
