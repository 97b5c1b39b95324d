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

const listArgs = '--label conformance --state all --limit 5000 --json number,state,body,labels,comments'.split(' ')

/** A failing requirement needs so many failed nights before its issue, unless it is urgent. */
const nightsBeforeIssue = 2

/**
 * Opens, comments, reopens and closes issues, so that they match the last night. A repeated call changes nothing: issues and comments
 * carry a marker of their requirement and night. A night that is not complete changes nothing.
 *
 * @param nights the history; the last one is the night of the report
 * @param options `urgent`: ids of requirements whose first failed night opens an issue; `link`: address of the run, for readers
 * @returns one line per change
 * @throws the errors of `gh`
 */
export async function syncIssues(
  report: Report,
  nights: readonly Night[],
  gh: Gh,
  { urgent, link }: { readonly urgent: readonly string[]; readonly link?: string | undefined },
): Promise<string[]> {
  const series = seriesOf(nights)
  const [before, last] = [series.at(-2), nights.at(-1)]
  if (!last || series.at(-1) !== last) return []
  for (const [name, description] of Object.entries(labels))
    await gh(['label', 'create', name, '--description', description, '--force'])
  const issues: readonly Issue[] = JSON.parse(await gh(['issue', 'list', ...listArgs]))
  const done: string[] = []
  for (const id of Object.keys(last.requirements)) {
    const standing = standingOf(series, 'requirements', id)
    const marker = markerOf(last.target, id)
    const night = markerOf(last.at, id)
    const mine = issues.filter(({ body }) => body.includes(marker)).sort((a, b) => b.number - a.number)
    const open = mine.find(({ state }) => state === 'OPEN')
    const isFlaky = standing.now === 'f' && standing.flaky
    const isDue = standing.now === 'f' && (standing.failedNights >= nightsBeforeIssue || urgent.includes(id))
    const write = (args: readonly string[], text: string) =>
      gh(['issue', ...args, '--body-file', '-'], `${text}${link === undefined ? '' : `\n\nRun: ${link}`}\n\n${night}\n`)
    if (open) {
      const number = String(open.number)
      const isTold = [open, ...open.comments].some((one) => one.body.includes(night))
      const text = isTold ? undefined : changeText(report, before, standing, id)
      if (text !== undefined) {
        await write(['comment', number], text)
        done.push(`commented #${number}: ${id}`)
      }
      if (standing.now === 'p') {
        await gh(['issue', 'close', number])
        done.push(`closed #${number}: ${id}`)
      }
      if (isFlaky && !open.labels.some(({ name }) => name === 'flaky')) {
        await gh(['issue', 'edit', number, '--add-label', 'flaky'])
        done.push(`labelled #${number} flaky: ${id}`)
      }
    } else if (isDue) {
      const text = failureText(report, standing, id)
      const [closed] = mine
      if (isFlaky && closed) {
        const number = String(closed.number)
        await gh(['issue', 'reopen', number])
        await gh(['issue', 'edit', number, '--add-label', 'flaky'])
        await write(['comment', number], text)
        done.push(`reopened #${number}: ${id}`)
      } else {
        const label = isFlaky ? 'conformance,flaky' : 'conformance'
        await write(['create', '--title', `Conformance: ${id}`, '--label', label], `${text}\n\n${marker}`)
        done.push(`opened: ${id}`)
      }
    }
  }
  return done
}

/** A comment of HTML that GitHub does not show, and that no escaped text can contain. */
function markerOf(scope: string, id: string): string {
  const hash = createHash('sha256').update(JSON.stringify([scope, id]))
  return `<!-- conformance ${hash.digest('hex').slice(0, 24)} -->`
}

/** Describes what changed for a requirement with an open issue; `undefined` if nothing did. */
function changeText(report: Report, before: Night | undefined, standing: Standing, id: string): string | undefined {
  const { now, before: earlier } = standing
  const { checks = [], reason = 'no reason given' } = requirementOf(report, id) ?? {}
  if (now === 'p') return `Passes since ${minuteText(report.startedAt)}.`
  if (now !== 'f') return now && earlier === 'f' ? `Undecided: ${escapeMarkdown(reason)}` : undefined
  const failed = failedChecks(report, id).map((check) => check.id)
  const failedBefore = checks.filter((one) => before?.checks[one] === 'f')
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
  const sentence = requirementOf(report, id)?.text
  const first = firstFailed === undefined ? '' : `First failed: ${minuteText(firstFailed)}. `
  const last = lastPassed === undefined ? 'It has not passed before.' : `Last passed: ${minuteText(lastPassed)}.`
  const failed = failedChecks(report, id).map(({ id, message = 'no reason given' }) => `${id}: ${message}`)
  return [
    ...(sentence === undefined ? [] : [`> ${escapeMarkdown(sentence)}`]),
    first + last,
    failed.map((line) => `- ${escapeMarkdown(line)}`).join('\n'),
  ].join('\n\n')
}
