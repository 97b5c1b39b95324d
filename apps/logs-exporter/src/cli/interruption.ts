import { exitCodes } from './exit-codes.ts'

/** Whether the user, or the system, wants the process to end. */
export interface Interruption {
  readonly signal: AbortSignal
  release(): void
}

/** How long output that is under way may take after all else has ended, in ms: its reader may take nothing any more. */
const graceMs = 1_000

/** Turns the first SIGINT or SIGTERM into an abort; the second ends the process at once, which loses nothing either. */
export function onInterruption(): Interruption {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    controller.abort(new Error('interrupted'))
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt)
  return {
    signal: controller.signal,
    release() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt)
      if (controller.signal.aborted) setTimeout(() => process.exit(), graceMs).unref()
    },
  }
}
