import type { WindowState } from '../ledger/ledger.ts'
import { recordLoss } from './export-open.ts'
import { isBeyondRetention, isDamage, isReadFailure } from './failure.ts'
import type { ZoneContext } from './options.ts'
import { nextRecheck, postponement } from './plan.ts'
import { revise } from './revise.ts'

/** Maximum number of rechecks per cycle before open windows are read: as many requests as two rate limit periods allow (§8). */
const maxRechecks = 60

/**
 * Rechecks the closed windows that are due, oldest first. Each recheck is a count probe. If the count differs or the probe fails,
 * the window is read. A failed recheck is postponed, so that one bad window or damaged segment does not block the others.
 *
 * @param isLate whether the deadline of the zone has passed. Then requests are reserved for unread rows and rechecks wait. Windows
 *   beyond the retention are reported as missed without a request
 */
export async function recheckWindows(context: ZoneContext, isLate: boolean): Promise<void> {
  const { zone, signal, ledger, reader, plan, memory, observe } = context
  for (const state of await ledger.due(zone, reader.now(), maxRechecks)) {
    if (isLate && state.from >= reader.now() - plan.retention) return
    try {
      await (isLate ? miss(context, state) : recheck(context, state))
    } catch (error) {
      signal.throwIfAborted()
      if (!isReadFailure(error) && !isDamage(error)) throw error
      const isGone = state.from < reader.now() - plan.retention // a damaged sink fails before any request, so check the age, too
      if (isGone || isBeyondRetention(error, state.from, reader.now(), plan)) await miss(context, state)
      else {
        const retryAt = reader.now() + postponement
        await ledger.record({ ...state, recheckDue: retryAt })
        observe({ type: 'failed', zone, error, failures: memory.failures, retryAt })
        if (!isDamage(error)) return
      }
    }
  }
}

/**
 * Records that a window can no longer be rechecked. If its row count is unknown, the window also counts as lost. It was then
 * adopted after a crash, and the edge of the retention may have cut off some of its rows.
 */
async function miss(context: ZoneContext, state: WindowState): Promise<void> {
  const { zone, ledger, observe } = context
  const { from, to, rows } = state
  if (rows === undefined) await recordLoss(context, from, to)
  await ledger.record({ ...state, recheckDue: undefined })
  observe({ type: 'recheck-missed', window: { zone, from, to } })
}

async function recheck(context: ZoneContext, state: WindowState): Promise<void> {
  const { zone, ledger, reader, plan, observe } = context
  const { from, to } = state
  const checkedAt = reader.now()
  const outcome = await probe(context, state)
  observe({ type: 'recheck', window: { zone, from, to }, outcome })
  if (outcome !== 'same') return revise(context, state)
  await ledger.record({ ...state, checkedAt, recheckDue: nextRecheck(state, checkedAt, plan) })
}

async function probe({ reader, signal, plan }: ZoneContext, window: WindowState) {
  if (window.rows === undefined) return 'unknown'
  try {
    return (await reader.hasRows(window, window.rows, signal)) ? 'same' : 'changed'
  } catch (error) {
    signal.throwIfAborted()
    if (!isReadFailure(error) || isBeyondRetention(error, window.from, reader.now(), plan)) throw error
    return 'unsure' // a deep offset may time out where a read by time does not (supplement)
  }
}
