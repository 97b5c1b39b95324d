import { terminalText } from '@cdn/kit/text'
import type { Writer } from '../terminal/writer.ts'
import { lineText } from './cell.ts'
import { textWidth, wrapText } from './width.ts'

/** Minimum width of the column of values. On a narrower terminal, a value follows its name, or is below it. */
const minWidth = 32

/**
 * Formats one record for a terminal: one line per field, with the whole value. A value that is too long continues on the next line.
 *
 * @param fields names and values, in order
 * @param now a time of today is shown without its date
 */
export function recordLines(out: Writer, fields: readonly (readonly [string, unknown])[], now: Date): string {
  const titles = fields.map(([name]) => terminalText(name))
  const indent = Math.max(0, ...titles.map(textWidth)) + 2
  const isBelow = out.width() - indent < minWidth
  const lines = fields.flatMap(([, value], index) => {
    const title = titles[index] ?? ''
    const texts = wrapText(lineText(value, now), out.width() - (isBelow ? 2 : indent))
    const beside = `${out.paint('bold', title)}  ${texts[0]}`
    if (isBelow && texts.length === 1 && textWidth(`${title}  ${texts[0]}`) <= out.width()) return [beside]
    if (isBelow) return [out.paint('bold', title), ...texts.map((text) => `  ${text}`)]
    const pads = [
      out.paint('bold', title) + ' '.repeat(indent - textWidth(title)),
      ...texts.slice(1).map(() => ' '.repeat(indent)),
    ]
    return texts.map((text, n) => `${pads[n]}${text}`)
  })
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}
