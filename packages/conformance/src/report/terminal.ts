import { styleText } from 'node:util'
import { plural } from '@cdn/kit/plural'
import { groupByArea, oneLine, sectionLabel } from '../exchange/format-text.ts'
import type { Cause, Report } from '../exchange/report-model.ts'
import { marks, type ShownOutcome, undecidedByReason } from '../verdict/outcomes.ts'
import { countSentences, coverageLines, openCounts, parityLine, problemLines, resultOf } from '../verdict/result.ts'
import { causeFacts, causeLine } from './cause-text.ts'
import { changeLines } from './change-text.ts'
import { curlLine } from './evidence.ts'

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

const styles: Readonly<Record<ShownOutcome, Style>> = {
  fail: ['red', 'bold'],
  error: ['yellow', 'bold'],
  pass: 'green',
  skip: 'gray',
  unchecked: 'gray',
}

/**
 * Returns the report for a terminal: the areas, the causes, the undecided sentences, and the result at the end.
 *
 * @param options `color`: whether to use ANSI colours; every outcome also has a mark and a word
 * @returns lines, each ending with a line break; control characters are shown as escapes
 */
export function terminalReport(report: Report, { color }: { readonly color: boolean }): string {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const { outcome, sentence } = resultOf(report)
  const undecided = undecidedByReason(report).map(
    ([reason, ids]) => `  ${oneLine(`${plural(ids.length, 'sentence')}: ${reason}`, 300)}`,
  )
  return [
    ...areaLines(report, paint),
    '',
    ...report.causes.flatMap((cause) => causeLines(report, cause, paint)),
    ...(undecided.length > 0 ? [paint('bold', 'Undecided'), ...undecided, ''] : []),
    ...Object.values(changeLines(report))
      .flat()
      .map((line) => oneLine(line, 300)),
    ...problemLines(report).map((line) => `${paint(styles.error, marks.error.mark)} ${oneLine(line, 600)}`),
    ...(report.parity ? [oneLine(parityLine(report.parity))] : []),
    ...coverageLines(report).map((line) => oneLine(line)),
    paint(styles[outcome], `${marks[outcome].mark} ${oneLine(sentence)}`),
    '',
  ].join('\n')
}

function areaLines({ requirements }: Report, paint: Paint): string[] {
  const areas = groupByArea(requirements).map(([area, members]) => [oneLine(area), members] as const)
  const width = Math.max(0, ...areas.map(([area]) => area.length))
  return areas.map(([area, members]) => {
    const sentences = countSentences(members)
    const { all, hold, broken, undecided } = sentences
    const worst = broken > 0 ? 'fail' : undecided > 0 || all === 0 ? 'skip' : 'pass'
    const counts = [`${hold} of ${plural(all, 'sentence')}`, ...openCounts(sentences)].join(', ')
    return `${paint(styles[worst], marks[worst].mark)} ${area.padEnd(width)}  ${counts}`
  })
}

function causeLines(report: Report, cause: Cause, paint: Paint): string[] {
  const { sentences, undecided, exchanges, since } = causeFacts(report, cause)
  const expected = cause.reason === undefined ? '' : ` (expected: ${cause.reason})`
  const title = `${causeLine(cause)}${since && `, since ${since}`}${expected}`
  const { mark, word } = marks[cause.outcome]
  return [
    `${paint(styles[cause.outcome], `${mark} ${word}`)}  ${oneLine(title, 400)}`,
    ...sentences.map(({ text, section, id }) => `  ${oneLine(`${sectionLabel(section)} ${text} (${id})`, 300)}`),
    ...(undecided.length > 0 ? [`  ${plural(undecided.length, 'sentence')} could not be decided because of it.`] : []),
    ...exchanges.map(({ request }) => `  ${oneLine(curlLine(request))}`),
    ...(cause.outcome === 'fail' ? [`  Send it again: conformance replay ${oneLine(cause.checks[0] ?? '')}`] : []),
    '',
  ]
}
