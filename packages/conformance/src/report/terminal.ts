import { styleText } from 'node:util'
import { marks, type Shown, shownOutcome, undecidedByReason } from '../verdict/outcomes.ts'
import { coverageLines, resultOf } from '../verdict/result.ts'
import { curlOf } from './evidence.ts'
import type { CheckResult, Report, RequirementResult } from './model.ts'
import { areasUnspecified, cellLine, groupByArea, plural, sectionLabel, timesText, transitionTitles } from './text.ts'

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
  const cellsOf = ({ id, section }: RequirementResult) => [cellLine(sectionLabel(section)), cellLine(id)] as const
  const widths = [0, 1].map((column) =>
    Math.max(...report.requirements.map((requirement) => cellsOf(requirement)[column]?.length ?? 0)),
  )
  const row = (requirement: RequirementResult) => {
    const { source, basis, cases } = requirement
    const shown = shownOutcome(requirement)
    const cells = [
      ` ${paint(styles[shown], `${marks[shown].mark} ${marks[shown].word.padEnd(9)}`)}`,
      ...cellsOf(requirement).map((cell, column) => cell.padEnd(widths[column] ?? 0)),
      basis ? `${source} / ${basis}` : source,
      cases > 0 ? plural(cases, 'case') : '',
    ]
    return cells.join('  ').trimEnd()
  }
  const undecided = undecidedByReason(report, 'spec').map(
    ([reason, ids]) => `  ${cellLine(`${reason}: ${ids.join(', ')}`, 600)}`,
  )
  const { outcome, sentence } = resultOf(report)
  return [
    ...groupByArea(report.requirements).flatMap(([area, members]) => [
      paint('bold', cellLine(area)),
      ...members.map(row),
      '',
    ]),
    `${paint('bold', 'Areas without an operation in the spec')}: ${areasUnspecified}`,
    '',
    ...changeLines(report),
    ...problems(report, paint),
    ...(undecided.length > 0 ? [paint('bold', 'Not decided in this run'), ...undecided, ''] : []),
    ...coverageLines(report).map((line) => cellLine(line)),
    paint(styles[outcome], `${marks[outcome].mark} ${cellLine(sentence)}`),
    '',
  ].join('\n')
}

function changeLines({ changes }: Report): string[] {
  if (!changes || changes.transitions.length === 0) return []
  const lines = changes.transitions.map((one) => {
    const times = timesText(one)
    return cellLine(`${transitionTitles[one.kind]}: ${one.id}${times && ` (${times})`}`, 300)
  })
  return [...lines, '']
}

/** More checks than this with the same reason share a line. */
const maxAlike = 3

function problems({ checks, seed }: Report, paint: Paint): string[] {
  const wrong = checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
  const alike = [...Map.groupBy(wrong, (check) => `${check.outcome} ${reasonOf(check)}`).values()]
  const line = (what: string, check: CheckResult) => {
    const { mark, word } = marks[check.outcome]
    return `${paint(styles[check.outcome], `${mark} ${word}`)}  ${cellLine(what)}: ${reasonOf(check)}`
  }
  const lines = alike.flatMap((group) => {
    const [first] = group
    if (first && group.length > maxAlike)
      return `${line(`${group.length} checks`, first)}: ${cellLine(group.map(({ id }) => id).join(', '), 300)}`
    return group.flatMap((check) => {
      const command = curlOf(check)
      return command === undefined ? [line(check.id, check)] : [line(check.id, check), `  ${cellLine(command)}`]
    })
  })
  const hint = `Seed ${seed}. The failed cases are stored next to the folder of the reports; conformance replay FILE sends one again.`
  if (wrong.some(({ outcome }) => outcome === 'fail')) lines.push(hint)
  return lines.length > 0 ? [...lines, ''] : []
}

function reasonOf({ message = 'no reason given', expectedFailure }: CheckResult): string {
  const expected = expectedFailure === undefined ? '' : ` (expected failure: ${cellLine(expectedFailure, 200)})`
  return cellLine(message, 300) + expected
}
