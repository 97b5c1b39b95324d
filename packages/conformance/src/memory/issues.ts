/** Issues of GitHub about causes: one per cause, driven through the command `gh`. */
import { createHash } from 'node:crypto'
import { causeTitle, vendorText } from '../report/cause-text.ts'
import type { Cause, Report } from '../report/model.ts'
import { cellLine, escapeMarkdown, minuteText } from '../report/text.ts'
import { isFlaky, openCauses, type RememberedCause, sameTarget, targetText } from './changes.ts'
import type { RememberedRun } from './memory.ts'

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

interface Change {
  readonly line: string
  readonly args: readonly string[]
  readonly text: string
}

/**
 * Opens, comments, reopens and closes issues, so that they match the last run. A repeated call changes nothing: issues and comments
 * carry a marker of their cause and run. A run that is not complete changes nothing, and neither does an expected cause or a fault of the suite.
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
  const done: string[] = []
  const apply = async ({ line, args, text }: Change, marker: string) => {
    const whole = `${text}${link === undefined ? '' : `\n\nReport: ${link}`}\n\n${marker}\n`
    if (!isDry) await gh(['issue', ...args, '--body-file', '-'], whole)
    done.push(isDry ? `${line}\n\n${whole}` : line)
  }
  for (const cause of report.causes.filter(isAboutTarget)) {
    const remembered = last.causes.find(({ id }) => id === cause.id)
    const own = findIssues(issues, last.target, cause)
    const flaky = remembered !== undefined && isFlaky(series, remembered)
    const open = own.find(({ state }) => state === 'OPEN')
    const newest = open ?? (flaky ? own[0] : undefined)
    if (newest && !open) await gh(['issue', 'reopen', String(newest.number)])
    if (newest && flaky && !newest.labels.some(({ name }) => name === 'flaky'))
      await gh(['issue', 'edit', String(newest.number), '--add-label', 'flaky'])
    if (!newest) {
      const args = ['create', '--title', cellLine(causeTitle(cause), 200), '--label', 'conformance']
      const text = `${issueText(report, cause)}\n\n${markerOf(last.target, cause.id)}`
      await apply({ line: `opened: ${cellLine(causeTitle(cause))}`, args, text }, markerOf(last.at, cause.id))
    } else if (!open) {
      const line = `reopened #${newest.number}: ${cause.id}`
      await apply(
        { line, args: ['comment', String(newest.number)], text: issueText(report, cause) },
        markerOf(last.at, cause.id),
      )
    }
  }
  for (const cause of goneIn(series))
    for (const { number, body, comments } of findIssues(issues, last.target, cause).filter(
      ({ state }) => state === 'OPEN',
    )) {
      const marker = markerOf(last.at, cause.id)
      if ([body, ...comments.map((one) => one.body)].some((text) => text.includes(marker))) continue
      const text = `Fixed: the run of ${minuteText(last.at)} does not show it any more.`
      await apply({ line: `commented #${number}: ${cause.id}`, args: ['comment', String(number)], text }, marker)
      await gh(['issue', 'close', String(number)])
      done.push(`closed #${number}: ${cause.id}`)
    }
  return done
}

/** Whether a cause is one for the vendor: neither expected, nor a fault of the suite. */
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

/** A comment of HTML that GitHub does not show, and that no escaped text can contain. */
function markerOf(scope: string, id: string): string {
  const hash = createHash('sha256').update(JSON.stringify([scope, id]))
  return `<!-- conformance ${hash.digest('hex').slice(0, 24)} -->`
}

function issueText(report: Report, cause: Cause): string {
  const since = `Seen since ${minuteText(cause.since ?? report.startedAt)}.`
  return [vendorText(report, cause), since, `Cause: ${escapeMarkdown(cause.id)}`].join('\n\n')
}
