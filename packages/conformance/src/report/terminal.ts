import { styleText } from 'node:util'
import { areasNotShown, groupByArea, sectionLabel } from './group.ts'
import type { Report, RequirementResult } from './model.ts'
import { marks, type Shown, shownOutcome } from './outcomes.ts'
import { coverageLines, judge } from './summarize.ts'
import { oneLine } from './text.ts'

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

const styles: Readonly<Record<Shown, Style>> = {
  fail: ['red', 'bold'],
  error: ['yellow', 'bold'],
  pass: 'green',
  skip: 'gray',
  disabled: 'gray',
  unchecked: 'gray',
}

/**
 * The requirement matrix for a terminal: a block for each area, then what failed, the coverage and the verdict.
 *
 * @param options `color`: whether to use ANSI colours; every outcome also has a mark and a word
 * @returns lines with a line break at the end; control characters of any text are written out
 */
export function toMatrix(report: Report, { color }: { readonly color: boolean }): string {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const idWidth = width(report.requirements.map(({ id }) => id))
  const sectionWidth = width(report.requirements.map(({ section }) => sectionLabel(section)))
  const blocks = groupByArea(report.requirements).map(({ area, requirements }) => [
    paint('bold', oneLine(area)),
    ...requirements.map((requirement) => row(requirement, sectionWidth, idWidth, paint)),
    '',
  ])
  const { outcome, sentence } = judge(report)
  return [
    ...blocks.flat(),
    `${paint('bold', 'Not shown by the document')}: ${areasNotShown().join(', ')}`,
    '',
    ...troubles(report, paint),
    ...coverageLines(report).map((line) => oneLine(line)),
    paint(styles[outcome], `${marks[outcome].mark} ${oneLine(sentence)}`),
    '',
  ].join('\n')
}

function row(requirement: RequirementResult, sectionWidth: number, idWidth: number, paint: Paint): string {
  const shown = shownOutcome(requirement)
  const { mark, word } = marks[shown]
  const ground = requirement.through ? `${requirement.ground} / ${requirement.through}` : requirement.ground
  return [
    ` ${paint(styles[shown], `${mark} ${word.padEnd(9)}`)}`,
    oneLine(sectionLabel(requirement.section)).padEnd(sectionWidth),
    oneLine(requirement.id).padEnd(idWidth),
    ground,
  ].join('  ')
}

/** The checks that failed or ended in an error, with the reason. */
function troubles(report: Report, paint: Paint): string[] {
  const lines = report.checks
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
    .map(({ id, outcome, message, known }) => {
      const { mark, word } = marks[outcome]
      return `${paint(styles[outcome], `${mark} ${word}`)}  ${oneLine(id)}: ${oneLine(message ?? 'no reason given', 300)}${known === undefined ? '' : ` (known to fail: ${oneLine(known, 200)})`}`
    })
  return lines.length > 0 ? [...lines, ''] : []
}

function width(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => oneLine(text).length))
}
