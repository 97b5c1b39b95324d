import { exportOpen } from './export-open.ts'
import { lookAgain } from './look.ts'
import type { ZoneContext } from './options.ts'
import { deadlineOf, firstPosition, settledUntil, settlesAt } from './plan.ts'
import { reconcile } from './reconcile.ts'

/** How long a zone is worked on before others get their turn, in ms. */
export const turnMs = 5 * 60_000
/** Windows are forgotten so long after they can no longer be read, in ms. */
const keptAfter = 24 * 3_600_000

/** When a zone has work again, and until when its oldest open window must have been read; ms since 1970. */
export interface Turn {
  readonly nextDue: number
  readonly deadline: number
}

/** Works on a zone: looks that are due first, since they are about what is oldest, then the open windows. After the deadline looks wait. */
export async function takeTurn(context: ZoneContext): Promise<Turn> {
  const { zone, epoch, ledger, reader, plan, memory } = context
  if (!memory.isReconciled) await reconcile(context)
  memory.isReconciled = true
  const start = (await ledger.position(zone)) ?? firstPosition(reader.now(), plan)
  await lookAgain(context, deadlineOf(start, plan) < reader.now())
  const isDone = await exportOpen(context, start, settledUntil(reader.now(), plan), turnMs)
  await ledger.forget(zone, reader.now() - plan.retention - keptAfter, epoch)
  const position = (await ledger.position(zone)) ?? start
  const nextLook = (await ledger.nextLook(zone)) ?? Number.POSITIVE_INFINITY
  return {
    nextDue: isDone ? Math.min(settlesAt(position, plan), nextLook) : reader.now(),
    deadline: deadlineOf(position, plan),
  }
}
