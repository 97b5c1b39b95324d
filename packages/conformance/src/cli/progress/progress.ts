import { oneLine } from '../../exchange/format-text.ts'
import type { Outcome } from '../../exchange/report-model.ts'
import type { CheckRun } from '../../exchange/run-types.ts'

/** An output stream, such as `process.stderr`. */
export interface ProgressStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const startOfLine = '\r\u001b[2K'

/**
 * Creates one line with the progress of a run, which `show` rewrites as checks end, and `clear` removes before other output. It
 * writes nothing unless the stream is a terminal.
 */
export function createProgressLine(stream: ProgressStream) {
  const write = (text: string) => void (stream.isTTY === true && stream.write(text))
  const ended: CheckRun[] = []
  const having = (outcome: Outcome) => ended.filter(({ result }) => result.outcome === outcome).length
  return {
    show(total: number, run?: CheckRun) {
      if (run) ended.push(run)
      const [failed, errors] = [having('fail'), having('error')]
      const problems = `${failed > 0 ? ` ${failed} failed` : ''}${errors > 0 ? ` ${errors} in error` : ''}`
      const line = `${ended.length}/${total}${problems} ${run?.result.id ?? 'starting'}`
      // The line must not wrap, because a wrapped line cannot be rewritten.
      write(startOfLine + oneLine(line, (stream.columns ?? 80) - 1))
    },
    clear: () => write(startOfLine),
  }
}
