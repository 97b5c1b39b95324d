import type { Gap, Ledger } from '../ledger/ledger.ts'
import type { ExportRange } from '../segments/segment.ts'
import { closedUntil, deadlineOf, type ExportPlan } from './plan.ts'

/** Progress of a zone according to its ledger. Times are in ms since 1970. */
export interface ZoneStatus {
  readonly zone: string
  /** Start of the oldest open window; undefined if no daemon has exported the zone. */
  readonly position: number | undefined
  /** Distance of the position from the current time, in ms. */
  readonly lag: number | undefined
  /** Length of the closed windows after the position, in ms of logs. */
  readonly backlog: number | undefined
  /** Deadline of the oldest open window. */
  readonly deadline: number | undefined
  readonly nextRecheck: number | undefined
  readonly gaps: readonly Gap[]
  /** For a zone without a position: the windows that backfills exported. Between `from` and `to` there may be holes. */
  readonly backfilled: (ExportRange & { readonly windows: number }) | undefined
}

/** Reads the status of a zone from its ledger. @param now by the platform's clock */
export async function zoneStatus(ledger: Ledger, zone: string, now: number, plan: ExportPlan): Promise<ZoneStatus> {
  const position = await ledger.position(zone)
  return {
    zone,
    position,
    lag: position === undefined ? undefined : now - position,
    backlog: position === undefined ? undefined : Math.max(0, closedUntil(now, plan) - position),
    deadline: position === undefined ? undefined : deadlineOf(position, plan),
    nextRecheck: await ledger.nextRecheck(zone),
    gaps: await ledger.gaps(zone),
    backfilled: position === undefined ? await backfilled(ledger, zone) : undefined,
  }
}

async function backfilled(ledger: Ledger, zone: string): Promise<ZoneStatus['backfilled']> {
  const windows = await ledger.windows(zone, 0, Number.POSITIVE_INFINITY)
  const [first, last] = [windows[0], windows.at(-1)]
  return first && last && { windows: windows.length, from: first.from, to: last.to }
}
