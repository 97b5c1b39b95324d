/** Issues of GitHub about requirements that fail: one per requirement, driven through the command `gh`. */
import { createHash } from 'node:crypto'
import { escapeMarkdown } from '../report/markdown.ts'
import type { Report } from '../report/model.ts'
import { minuteText } from '../report/text.ts'
import type { Night } from './history.ts'
import { type Standing, seriesOf, standingOf } from './transitions.ts'

/** Runs `gh` with arguments and standard input, and returns its output. */
export type Gh = (args: readonly string[], input?: string) => Promise<string>

/** Labels of all issues of the suite, and of those about a flaky requirement. */
const labels = { conformance: 'Opened by the conformance suite', flaky: 'Fails and passes within two weeks' }

interface Issue {
  readonly number: number
  readonly state: 'OPEN' | 'CLOSED'
  readonly body: string
  readonly labels: readonly { readonly name: string }[]
  readonly comments: readonly { readonly body: string }[]
}

/** A failing requirement needs so many failed nights before its issue, unless it is urgent. */
const nightsBeforeIssue = 2

export interface IssueOptions {
  /** Ids of requirements whose first failed night opens an issue. */
  readonly urgent: readonly string[]
  /** Address of the run, for readers of the issue. */
  readonly link?: string | undefined
}

/**
 * Opens, comments, reopens and closes issues, so that they match the last night. A repeated call changes nothing: issues and comments
 * carry a marker of their requirement and night. A night that is not complete changes nothing.
 *
 * @param nights the history; the last one is the night of the report
 * @returns one line per change
 * @throws the errors of `gh`
 */
export async function syncIssues(
  report: Report,
  nights: readonly Night[],
  gh: Gh,
  { urgent, link }: IssueOptions,
): Promise<string[]> {
  const series = seriesOf(nights)
  const [before, last] = [series.at(-2), nights.at(-1)]
  if (!last || series.at(-1) !== last) return []
  for (const [name, description] of Object.entries(labels))
    await gh(['label', 'create', name, '--description', description, '--force'])
  const fields = 'number,state,body,labels,comments'
  const listed = await gh([
    'issue',
    'list',
    '--label',
    'conformance',
    '--state',
    'all',
    '--limit',
    '5000',
    '--json',
    fields,
  ])
  const issues: readonly Issue[] = JSON.parse(listed)
  const done: string[] = []
  for (const id of Object.keys(last.requirements)) {
    const standing = standingOf(series, 'requirements', id)
    const marker = markerOf(last.target, id)
    const mine = issues.filter(({ body }) => body.includes(marker)).sort((a, b) => b.number - a.number)
    const open = mine.find(({ state }) => state === 'OPEN')
    const isDue = standing.now === 'f' && (standing.failedNights >= nightsBeforeIssue || urgent.includes(id))
    const number = open?.number
    const night = markerOf(last.at, id)
    const body = (text: string) => `${text}${link === undefined ? '' : `\n\nRun: ${link}`}\n\n${night}\n`
    const isTold = open && [open, ...open.comments].some((one) => one.body.includes(night))
    if (open && !isTold) {
      const text = changeText(report, before, standing, id)
      if (text !== undefined) await gh(['issue', 'comment', `${number}`, '--body-file', '-'], body(text))
      if (text !== undefined) done.push(`commented #${number}: ${id}`)
    }
    if (open && standing.now === 'p') {
      await gh(['issue', 'close', `${number}`])
      done.push(`closed #${number}: ${id}`)
    }
    const isFlaky = standing.now === 'f' && standing.flaky
    if (open && isFlaky && !open.labels.some(({ name }) => name === 'flaky')) {
      await gh(['issue', 'edit', `${number}`, '--add-label', 'flaky'])
      done.push(`labelled #${number} flaky: ${id}`)
    }
    if (open || !isDue) continue
    const [closed] = mine
    if (isFlaky && closed) {
      await gh(['issue', 'reopen', `${closed.number}`])
      await gh(['issue', 'edit', `${closed.number}`, '--add-label', 'flaky'])
      await gh(['issue', 'comment', `${closed.number}`, '--body-file', '-'], body(failureText(report, standing, id)))
      done.push(`reopened #${closed.number}: ${id}`)
    } else {
      const args = ['--title', `Conformance: ${id}`, '--label', isFlaky ? 'conformance,flaky' : 'conformance']
      await gh(
        ['issue', 'create', ...args, '--body-file', '-'],
        body(`${failureText(report, standing, id)}\n\n${marker}`),
      )
      done.push(`opened: ${id}`)
    }
  }
  return done
}

/** A comment of HTML that GitHub does not show, and that no escaped text can contain. */
function markerOf(scope: string, id: string): string {
  return `<!-- conformance ${createHash('sha256')
    .update(JSON.stringify([scope, id]))
    .digest('hex')
    .slice(0, 24)} -->`
}

/** Describes what changed for a requirement with an open issue; `undefined` if nothing did. */
function changeText(report: Report, before: Night | undefined, standing: Standing, id: string): string | undefined {
  const { now, before: earlier } = standing
  if (now === 'p') return `Passes since ${minuteText(report.startedAt)}.`
  if (now === undefined) return undefined
  if (now !== 'f')
    return earlier === 'f'
      ? `Undecided: ${escapeMarkdown(requirementOf(report, id)?.reason ?? 'no reason given')}`
      : undefined
  const failed = failedChecks(report, id).map((check) => check.id)
  const failedBefore = (requirementOf(report, id)?.checks ?? []).filter((one) => before?.checks[one] === 'f')
  const isSame = failed.length === failedBefore.length && failed.every((one) => failedBefore.includes(one))
  return earlier === 'f' && isSame ? undefined : failureText(report, standing, id)
}

function requirementOf({ requirements }: Report, id: string) {
  return requirements.find((one) => one.id === id)
}

function failedChecks({ checks }: Report, id: string) {
  return checks.filter((one) => one.outcome === 'fail' && (one.requirements.includes(id) || one.id === id))
}

/** Describes a failing requirement. All text of the target is escaped. */
function failureText(report: Report, { firstFailed, lastPassed }: Standing, id: string): string {
  const since = [
    firstFailed && `First failed: ${minuteText(firstFailed)}.`,
    lastPassed ? `Last passed: ${minuteText(lastPassed)}.` : 'It has not passed before.',
  ]
  const sentence = requirementOf(report, id)?.text
  return [
    ...(sentence === undefined ? [] : [`> ${escapeMarkdown(sentence)}`]),
    since.filter((part) => part).join(' '),
    failedChecks(report, id)
      .map((check) => `- ${escapeMarkdown(`${check.id}: ${check.message ?? 'no reason given'}`)}`)
      .join('\n'),
  ].join('\n\n')
}
