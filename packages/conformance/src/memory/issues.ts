/** Keeps one GitHub issue per cause, with the command `gh`. */

import { createHash } from 'node:crypto'
import type { Cause, RememberedRun, Report } from '../exchange/report-model.ts'
import { cellLine, escapeMarkdown, minuteText } from '../exchange/text.ts'
import { causeTitle, vendorText } from '../report/cause-text.ts'
import { isFlaky, openCauses, type RememberedCause, sameTarget, targetText } from '../verdict/changes.ts'

/** Runs `gh` with arguments and standard input, and returns its output. */
export type Gh = (args: readonly string[], input?: string) => Promise<string>

const labels = { conformance: 'Opened by the conformance suite', flaky: 'Came back within 14 runs' }

interface Issue {
  readonly number: number
  readonly state: 'OPEN' | 'CLOSED'
  readonly body: string
  readonly labels: readonly { readonly name: string }[]
  readonly comments: readonly { readonly body: string }[]
}

const listArgs = '--label conformance --state all --limit 5000 --json number,state,body,labels,comments'.split(' ')

/** Arguments of `gh issue`, the body that it writes, and the line that reports the change. */
interface Step {
  readonly args: readonly string[]
  readonly text?: string
  readonly line?: string
}

/**
 * Opens, comments, reopens and closes issues, so that they match the last run. A repeated call changes nothing: issues and comments
 * carry a marker of their cause and run. A run that is not complete changes nothing, and neither does an expected cause or a fault of
 * the suite.
 *
 * @param runs the memory; the last one is the run of the report
 * @param options `link`: address of the run, for readers; `isDry`: returns the texts and changes nothing
 * @returns one line per change
 * @throws the errors of `gh`
 */
export async function syncIssues(
  report: Report,
  runs: readonly RememberedRun[],
  gh: Gh,
  { link, isDry = false }: { readonly link?: string | undefined; readonly isDry?: boolean },
): Promise<string[]> {
  const series = sameTarget(runs, targetText(report)).filter(({ status }) => status === 'complete')
  const last = runs.at(-1)
  if (!last || series.at(-1) !== last) return []
  const issues: readonly Issue[] = isDry ? [] : await listIssues(gh)
  const textOf = (id: string, ...parts: readonly string[]) => {
    const whole = [...parts, ...(link === undefined ? [] : [`Report: ${link}`]), markerOf(last.at, id)]
    return `${whole.join('\n\n')}\n`
  }
  const seen = report.causes.filter(isAboutTarget).flatMap((cause): Step[] => {
    const { id } = cause
    const own = findIssues(issues, last.target, cause)
    const open = own.find(({ state }) => state === 'OPEN')
    const isBack = last.causes.some((one) => one.id === id && isFlaky(series, one))
    const issue = open ?? (isBack ? own[0] : undefined)
    if (!issue) {
      const args = ['create', '--title', cellLine(causeTitle(cause), 200), '--label', 'conformance']
      const text = textOf(id, issueText(report, cause), markerOf(last.target, id))
      return [{ args, text, line: `opened: ${cellLine(causeTitle(cause))}` }]
    }
    const [number, line] = [`${issue.number}`, `reopened #${issue.number}: ${id}`]
    const comment = { args: ['comment', number], text: textOf(id, issueText(report, cause)), line }
    const isLabelled = issue.labels.some(({ name }) => name === 'flaky')
    return [
      ...(open ? [] : [{ args: ['reopen', number] }]),
      ...(isBack && !isLabelled ? [{ args: ['edit', number, '--add-label', 'flaky'] }] : []),
      ...(open ? [] : [comment]),
    ]
  })
  const gone = goneIn(series).flatMap((cause) =>
    findIssues(issues, last.target, cause)
      .filter(({ state, ...issue }) => state === 'OPEN' && !hasMarker(issue, markerOf(last.at, cause.id)))
      .flatMap(({ number }): Step[] => [
        {
          args: ['comment', `${number}`],
          text: textOf(cause.id, `Fixed: the run of ${minuteText(last.at)} does not show it any more.`),
          line: `commented #${number}: ${cause.id}`,
        },
        { args: ['close', `${number}`], line: `closed #${number}: ${cause.id}` },
      ]),
  )
  const steps = [...seen, ...gone]
  for (const { args, text } of isDry ? [] : steps)
    await gh(['issue', ...args, ...(text === undefined ? [] : ['--body-file', '-'])], text)
  return steps.flatMap(({ line, text }) => (line === undefined ? [] : isDry ? `${line}\n\n${text}` : line))
}

/** Whether the body or a comment of an issue contains a marker. */
function hasMarker({ body, comments }: Pick<Issue, 'body' | 'comments'>, marker: string): boolean {
  return [body, ...comments.map((one) => one.body)].some((text) => text.includes(marker))
}

/** Whether the vendor should hear of a cause: it is neither expected, nor a fault of the suite. */
function isAboutTarget({ reason, seen }: Cause): boolean {
  return reason === undefined && !seen.startsWith('fault of the suite')
}

async function listIssues(gh: Gh): Promise<readonly Issue[]> {
  for (const [name, description] of Object.entries(labels))
    await gh(['label', 'create', name, '--description', description, '--force'])
  return JSON.parse(await gh(['issue', 'list', ...listArgs]))
}

/** The issues of a cause, the newest first. */
function findIssues(issues: readonly Issue[], target: string, { id }: Pick<Cause, 'id'>): Issue[] {
  const marker = markerOf(target, id)
  return issues.filter(({ body }) => body.includes(marker)).sort((a, b) => b.number - a.number)
}

function goneIn(series: readonly RememberedRun[]): RememberedCause[] {
  const open = new Set(openCauses(series).map(({ id }) => id))
  const all = new Map(series.slice(0, -1).flatMap(({ causes }) => causes.map((cause) => [cause.id, cause] as const)))
  return [...all.values()].filter(({ id }) => !open.has(id))
}

/** Returns an HTML comment for a target or a run (`scope`) and a cause. GitHub does not show it, and escaped text cannot contain it. */
function markerOf(scope: string, id: string): string {
  const hash = createHash('sha256').update(JSON.stringify([scope, id]))
  return `<!-- conformance ${hash.digest('hex').slice(0, 24)} -->`
}

function issueText(report: Report, cause: Cause): string {
  const since = `Seen since ${minuteText(cause.since ?? report.startedAt)}.`
  return [vendorText(report, cause), since, `Cause: ${escapeMarkdown(cause.id)}`].join('\n\n')
}
