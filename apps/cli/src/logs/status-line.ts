import type { Writer } from '../context/writer.ts'
import { cleanText } from '../output/text.ts'
import { fitText } from '../output/width.ts'

/** A line at the bottom of the terminal that changes in place; where standard error is no terminal there is none. */
export interface StatusLine {
  /**
   * Draws the line anew. Of many calls in a short time some are left out.
   *
   * @param text is cleaned, and cut to the width of the terminal
   */
  readonly show: (text: string) => Promise<void>
  /** Takes the line away, so that something else can be written. */
  readonly clear: () => Promise<void>
  /** Writes a sentence that stays; it is cleaned. */
  readonly note: (sentence: string) => Promise<void>
}

/** Nobody reads faster. */
const leastMs = 100
const erase = '\r\u001b[2K'

/** Makes a status line on a writer, standard error. */
export function createStatusLine(err: Writer): StatusLine {
  let shownAt = Number.NEGATIVE_INFINITY
  let isShown = false
  const clear = async () => {
    if (isShown) await err.write(erase)
    isShown = false
  }
  return {
    clear,
    async show(text) {
      const at = performance.now()
      if (!err.isTerminal || (isShown && at - shownAt < leastMs)) return
      shownAt = at
      isShown = true
      await err.write(`${erase}${err.paint('dim', fitText(cleanText(text), err.width() - 1, 'none'))}`)
    },
    async note(sentence) {
      await clear()
      await err.write(`cdn: ${cleanText(sentence)}\n`)
    },
  }
}
