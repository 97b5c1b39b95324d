import { toleranceMs } from '../reader/server-clock.ts'
import { exportOpen } from './export-open.ts'
import type { ZoneContext } from './options.ts'
import { closedUntil, closesAt, deadlineOf, firstPosition } from './plan.ts'
import { recheckWindows } from './recheck.ts'
import { reconcile } from './reconcile.ts'
import { repair } from './repair.ts'

/** Maximum duration of a zone's cycle, in ms. After it, other zones get their turn. */
export const cycleMs = 5 * 60_000
/** How long the ledger keeps windows that have left the retention, in ms. */
const keptAfter = 24 * 3_600_000

/** When a zone has work again, and the deadline of its oldest open window. In ms since 1970. */
export interface Cycle {
  readonly nextDue: number
  readonly deadline: number
}

/**
 * Runs the cycle of a zone: first the due rechecks, since they concern the oldest windows, then the open windows. If the deadline
 * has passed, rechecks wait.
 */
export async function runCycle(context: ZoneContext): Promise<Cycle> {
  const { zone, ledger, reader, plan, memory } = context
  const known = await ledger.position(zone)
  if (!memory.isReconciled || (known ?? 0) > reader.now() + toleranceMs) {
    await repair(context)
    await reconcile(context)
  }
  memory.isReconciled = true
  const start = (await ledger.position(zone)) ?? firstPosition(reader.now(), plan)
  await recheckWindows(context, deadlineOf(start, plan) < reader.now())
  const isDone = await exportOpen(context, start, closedUntil(reader.now(), plan), cycleMs)
  await ledger.forget(zone, reader.now() - plan.retention - keptAfter)
  const position = (await ledger.position(zone)) ?? start
  const nextRecheck = (await ledger.nextRecheck(zone)) ?? Number.POSITIVE_INFINITY
  return {
    nextDue: isDone ? Math.min(closesAt(position, plan), nextRecheck) : reader.now(),
    deadline: deadlineOf(position, plan),
  }
}
