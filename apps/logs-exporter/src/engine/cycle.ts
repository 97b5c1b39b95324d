import { toleranceMs } from '../reader/server-clock.ts'
import { exportOpen } from './export-open.ts'
import type { ZoneContext } from './options.ts'
import { closedUntil, closesAt, deadlineOf, firstPosition } from './plan.ts'
import { recheckWindows } from './recheck.ts'
import { reconcile } from './reconcile.ts'
import { repair } from './repair.ts'

/** Maximum duration of a cycle of a zone, in ms; then other zones get theirs. */
export const cycleMs = 5 * 60_000
/** How long the ledger keeps windows beyond the retention, in ms. */
const keptAfter = 24 * 3_600_000

/** When a zone has work again, and the deadline of its oldest open window; ms since 1970. */
export interface Cycle {
  readonly nextDue: number
  readonly deadline: number
}

/**
 * Runs the cycle of a zone: first the due rechecks, which concern the oldest windows, then the open windows. After the
 * deadline, rechecks wait.
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
