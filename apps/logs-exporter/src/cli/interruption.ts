import { type Interruption, listenForInterruption } from '@cdn/kit/interruption'

/** Maximum wait for pending output after everything else ended, in ms: its reader may have stopped. */
const graceMs = 1_000

/** Turns the first SIGINT or SIGTERM into an abort. The second one ends the process at once, which loses no data either. */
export function interruptProcess(): Interruption {
  const { signal, release } = listenForInterruption()
  return {
    signal,
    release() {
      release()
      if (signal.aborted) setTimeout(() => process.exit(), graceMs).unref()
    },
  }
}
