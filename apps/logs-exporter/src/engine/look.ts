import type { WindowState } from '../ledger/ledger.ts'
import { noLongerKept } from './export-open.ts'
import { isBeyondRetention, isDamage, isReadFailure } from './failure.ts'
import type { ZoneContext } from './options.ts'
import { nextLook, postponement } from './plan.ts'
import { revise } from './revise.ts'

/** Looks in a turn before open windows get theirs: two windows of the rate limit (§8). */
const mostLooks = 60

/**
 * Looks at settled windows again whose age is due, oldest first: by a probe of the count, and by reading them where it
 * differs or fails. A look that fails is postponed, so that one bad window, or one damaged segment, does not hold up the others.
 *
 * @param isLate the deadline of the zone has passed. Then every request is for rows that were never read, and looks wait;
 *   those that have waited for longer than the platform keeps logs are named, without asking.
 */
export async function lookAgain(context: ZoneContext, isLate: boolean): Promise<void> {
  const { zone, epoch, signal, ledger, reader, plan, memory, observe } = context
  for (const state of await ledger.due(zone, reader.now(), mostLooks)) {
    if (isLate && state.from >= reader.now() - plan.retention) return
    try {
      await (isLate ? miss(context, state) : look(context, state))
    } catch (error) {
      signal.throwIfAborted()
      if (!isReadFailure(error) && !isDamage(error)) throw error
      const isGone = state.from < reader.now() - plan.retention // asked or not: damage comes before the question
      if (isGone || isBeyondRetention(error, state.from, reader.now(), plan)) await miss(context, state)
      else {
        const retryAt = reader.now() + postponement
        await ledger.record({ ...state, lookDue: retryAt }, undefined, epoch)
        observe({ type: 'failed', zone, error, failures: memory.failures, retryAt })
        if (!isDamage(error)) return
      }
    }
  }
}

/**
 * Says that a window can no longer be looked at. One is lost of which nobody knows whether the sink has all: it stood there
 * after a crash, and may have been cut off by the end of the retention.
 */
async function miss(context: ZoneContext, state: WindowState): Promise<void> {
  const { zone, ledger, epoch, reader, observe } = context
  const { from, to, rows } = state
  if (rows === undefined) {
    const gap = { zone, from, to, reason: noLongerKept, noticedAt: reader.now() }
    await ledger.recordGap(gap, epoch)
    observe({ type: 'gap', gap })
  }
  await ledger.record({ ...state, lookDue: undefined }, undefined, epoch)
  observe({ type: 'look-missed', window: { zone, from, to } })
}

async function look(context: ZoneContext, state: WindowState): Promise<void> {
  const { zone, epoch, ledger, reader, plan, observe } = context
  const { from, to } = state
  const lookedAt = reader.now()
  const outcome = await probe(context, state)
  observe({ type: 'look', window: { zone, from, to }, outcome })
  if (outcome !== 'same') return revise(context, state)
  await ledger.record({ ...state, lookedAt, lookDue: nextLook(state, lookedAt, plan) }, undefined, epoch)
}

async function probe({ reader, signal, plan }: ZoneContext, { zone, from, to, rows }: WindowState) {
  if (rows === undefined) return 'unknown'
  try {
    return (await reader.hasRows(zone, from, to, rows, signal)) ? 'same' : 'changed'
  } catch (error) {
    signal.throwIfAborted()
    if (!isReadFailure(error) || isBeyondRetention(error, from, reader.now(), plan)) throw error
    return 'unsure' // a deep offset may time out where a walk by time does not (supplement)
  }
}
