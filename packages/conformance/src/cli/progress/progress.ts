import type { Outcome } from '../../report/model.ts'
import { cellLine } from '../../report/text.ts'
import type { CheckRun } from '../../runner/run-check.ts'

/** The stream that shows progress. */
export interface ProgressStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

/** One line with the progress of a run, rewritten as checks end. */
export interface Progress {
  show(total: number, run?: CheckRun): void
  /** Removes the line before other output. */
  clear(): void
}

const startOfLine = '\r\u001b[2K'

/** Creates the progress line. It writes nothing unless the stream is a terminal. */
export function createProgressLine(stream: ProgressStream): Progress {
  if (stream.isTTY !== true) return { show() {}, clear() {} }
  const ended: CheckRun[] = []
  const having = (outcome: Outcome) => ended.filter(({ result }) => result.outcome === outcome).length
  return {
    show(total, run) {
      if (run) ended.push(run)
      const [failed, errors] = [having('fail'), having('error')]
      const problems = `${failed > 0 ? ` ${failed} failed` : ''}${errors > 0 ? ` ${errors} in error` : ''}`
      const line = `${ended.length}/${total}${problems} ${run?.result.id ?? 'starting'}`
      // The line must not wrap, because a wrapped line cannot be rewritten.
      stream.write(startOfLine + cellLine(line, (stream.columns ?? 80) - 1))
    },
    clear: () => void stream.write(startOfLine),
  }
}
