import type { RetryReason } from '@cdn/api'
import { messageOf } from '@cdn/kit/error-message'
import { terminalText } from '@cdn/kit/text'
import { fitText } from '../output/width.ts'
import type { CommandContext } from '../program/command.ts'
import { formatSpan } from './format.ts'

/**
 * A line at the bottom of the terminal that is redrawn in place. It is shown if standard error is a terminal, and no other program
 * reads standard output, since that program may write to the same terminal.
 */
export type StatusLine = ReturnType<typeof createStatusLine>

const minMs = 100
const erase = '\r\u001b[2K'

/** Creates a status line on standard error. All texts are sanitized. */
export function createStatusLine({ err, out }: Pick<CommandContext, 'err' | 'out'>) {
  let shownAt = Number.NEGATIVE_INFINITY
  let isShown = false
  const clear = async () => {
    if (isShown) await err.write(erase)
    isShown = false
  }
  return {
    clear,
    /** Draws the line. Skips the call if the shown line is younger than `minMs`. */
    async show(text: string) {
      const at = performance.now()
      if (!err.isTerminal || out.isPipe || (isShown && at - shownAt < minMs)) return
      shownAt = at
      isShown = true
      await err.write(`${erase}${err.paint('dim', fitText(terminalText(text), err.width() - 1, 'none'))}`)
    },
    /** Writes a sentence that stays on the screen. */
    async note(sentence: string) {
      await clear()
      await err.write(`cdn: ${terminalText(sentence)}\n`)
    },
  }
}

/** Reports on the status line that a failed request is repeated. */
export function retryNotice(line: StatusLine): (reason: RetryReason) => void {
  return (reason) => {
    line.show(describeRetry(reason)).catch(() => {})
  }
}

/** Describes why a request is retried, and after which pause. */
export function describeRetry({ status, error, pauseMs }: RetryReason): string {
  const what = status === undefined ? messageOf(error) : `answered ${status}`
  return `${what}; retrying in ${formatSpan(pauseMs)}`
}
