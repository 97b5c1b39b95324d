import { marks } from '../report/outcomes.ts'
import { oneLine } from '../report/text.ts'
import type { CheckRun } from '../run-check.ts'

/** Where progress is shown. */
export interface ProgressStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

/** One line that tells how far a run is, rewritten as checks end. */
export interface Progress {
  show(total: number, run?: CheckRun): void
  /** Takes the line away, before anything else is written. */
  clear(): void
}

const startOfLine = '\r\u001b[2K'

/** Makes the line; where the stream is no terminal, nothing is ever written. */
export function createProgress(stream: ProgressStream): Progress {
  if (stream.isTTY !== true) return { show() {}, clear() {} }
  let ended = 0
  let failed = 0
  let errors = 0
  return {
    show(total, run) {
      if (run) ended++
      if (run?.result.outcome === 'fail') failed++
      if (run?.result.outcome === 'error') errors++
      const troubles = [
        ...(failed > 0 ? [`${failed} ${marks.fail.word}`] : []),
        ...(errors > 0 ? [`${errors} in error`] : []),
      ]
      const line = [`${ended}/${total}`, ...troubles, run?.result.id ?? 'starting'].join(' ')
      // A line that wraps cannot be rewritten.
      stream.write(startOfLine + oneLine(line, (stream.columns ?? 80) - 1))
    },
    clear: () => void stream.write(startOfLine),
  }
}
