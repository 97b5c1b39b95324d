import { exporterExitCodes } from './exit-codes.ts'

/** Whether the user or the system requested the end of the process. */
export interface ProcessInterruption {
  readonly signal: AbortSignal
  release(): void
}

/** Maximum wait for pending output after everything else ended, in ms: its reader may have stopped. */
const graceMs = 1_000

/** Turns the first SIGINT or SIGTERM into an abort. The second one ends the process at once, which loses no data either. */
export function interruptProcess(): ProcessInterruption {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(exporterExitCodes.interrupted)
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
