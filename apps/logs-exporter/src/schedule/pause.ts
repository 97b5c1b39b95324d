import { setTimeout as sleep } from 'node:timers/promises'

/** Timers are limited to a signed int32 of milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** Waits by the machine's clock. Resolves early, without an error, if the signal fires. @param ms at most 25 days are waited */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(Math.max(ms, 0), maxTimerMs), undefined, { signal }).catch(() => {}) // the only error is an abort
}
