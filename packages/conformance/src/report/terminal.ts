import { styleText } from 'node:util'
import { curlOf } from './curl.ts'
import { areasUnspecified, groupByArea, sectionLabel } from './group.ts'
import type { CheckResult, Report, RequirementResult } from './model.ts'
import { marks, type Shown, shownOutcome } from './outcomes.ts'
import { coverageLines, plural, resultOf } from './summarize.ts'
import { cellLine } from './text.ts'
import { undecidedLines } from './undecided.ts'

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
 * Returns the requirement matrix for a terminal: a block for each area, then failures, coverage and the result.
 *
 * @param options `color`: whether to use ANSI colours; every outcome also has a mark and a word
 * @returns lines, each ending with a line break; control characters are shown as escapes
 */
export function toMatrix(report: Report, { color }: { readonly color: boolean }): string {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const idWidth = width(report.requirements.map(({ id }) => id))
  const sectionWidth = width(report.requirements.map(({ section }) => sectionLabel(section)))
  const blocks = groupByArea(report.requirements).map(({ area, requirements }) => [
    paint('bold', cellLine(area)),
    ...requirements.map((requirement) => row(requirement, sectionWidth, idWidth, paint)),
    '',
  ])
  const { outcome, sentence } = resultOf(report)
  return [
    ...blocks.flat(),
    `${paint('bold', 'Areas without an operation in the spec')}: ${areasUnspecified().join(', ')}`,
    '',
    ...problems(report, paint),
    ...undecided(report, paint),
    ...coverageLines(report).map((line) => cellLine(line)),
    paint(styles[outcome], `${marks[outcome].mark} ${cellLine(sentence)}`),
    '',
  ].join('\n')
}

function row(requirement: RequirementResult, sectionWidth: number, idWidth: number, paint: Paint): string {
  const shown = shownOutcome(requirement)
  const { mark, word } = marks[shown]
  const source = requirement.basis ? `${requirement.source} / ${requirement.basis}` : requirement.source
  return [
    ` ${paint(styles[shown], `${mark} ${word.padEnd(9)}`)}`,
    cellLine(sectionLabel(requirement.section)).padEnd(sectionWidth),
    cellLine(requirement.id).padEnd(idWidth),
    source,
    requirement.cases > 0 ? plural(requirement.cases, 'case') : '',
  ]
    .join('  ')
    .trimEnd()
}

/** More checks than this with the same reason share a line. */
const maxAlike = 3

/** Lists the checks that failed or ended in an error, with the reason. */
function problems({ checks, seed }: Report, paint: Paint): string[] {
  const wrong = checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
  const alike = Map.groupBy(wrong, (check) => `${check.outcome} ${reasonOf(check)}`)
  const lines = [...alike.values()].flatMap((group) => {
    const [first] = group
    if (!first || group.length <= maxAlike)
      return group.flatMap((check) => {
        const command = check.outcome === 'fail' ? curlOf(check) : undefined
        return [line(check, paint, check.id), ...(command === undefined ? [] : [`  ${cellLine(command)}`])]
      })
    const ids = group.map(({ id }) => id).join(', ')
    return [`${line(first, paint, `${group.length} checks`)}: ${cellLine(ids, 300)}`]
  })
  const hint = `Seed ${seed}. The failed cases are stored next to the folder of the reports; conformance replay FILE sends one again.`
  return lines.length > 0 ? [...lines, ...(wrong.some(({ outcome }) => outcome === 'fail') ? [hint] : []), ''] : []
}

function line(check: CheckResult, paint: Paint, what: string): string {
  const { mark, word } = marks[check.outcome]
  return `${paint(styles[check.outcome], `${mark} ${word}`)}  ${cellLine(what)}: ${reasonOf(check)}`
}

function reasonOf({ message = 'no reason given', expectedFailure }: CheckResult): string {
  const expected = expectedFailure === undefined ? '' : ` (expected failure: ${cellLine(expectedFailure, 200)})`
  return cellLine(message, 300) + expected
}

/** Lists the undecided requirements of the spec, by reason. */
function undecided(report: Report, paint: Paint): string[] {
  const lines = undecidedLines(report).map((line) => `  ${cellLine(line, 600)}`)
  return lines.length > 0 ? [paint('bold', 'Not decided in this run'), ...lines, ''] : []
}

function width(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => cellLine(text).length))
}
