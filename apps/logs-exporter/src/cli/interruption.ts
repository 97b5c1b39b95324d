import { type Interruption, listenForInterruption } from '@cdn/kit/interruption'

/** After everything else has ended, how long to wait for pending output, in ms. The reader of the output may have stopped. */
const graceMs = 1_000

/** Turns the first SIGINT or SIGTERM into an abort. A second one ends the process immediately. That loses no data either. */
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
