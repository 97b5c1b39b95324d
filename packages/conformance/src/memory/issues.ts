/** Keeps one GitHub issue per cause, with the command `gh`. */

import { messageOf } from '@cdn/kit/error-message'
import { errorReason } from '../exchange/failure.ts'
import { codeSpan, minuteText, oneLine, withoutLinks } from '../exchange/format-text.ts'
import type { Cause, RememberedRun, Report } from '../exchange/report-model.ts'
import { causeFacts, causeTitle, quoteOf, vendorHead, vendorText } from '../report/cause-text.ts'
import { hasResult, isOpen, sameTarget, type Track, tracksOf } from '../verdict/changes.ts'

/** Runs `gh` with arguments and standard input, and returns its output. */
export type Gh = (args: readonly string[], input?: string) => Promise<string>

const labels = { conformance: 'Opened by the conformance suite', flaky: 'Came back within 14 runs' }

/** Maximum length of a text on GitHub, in characters. A string of JavaScript never has fewer UTF-16 units than characters. */
const maxLength = 65_536

interface Issue {
  readonly number: number
  readonly url: string
  readonly state: 'OPEN' | 'CLOSED'
  readonly body: string
  readonly labels: readonly { readonly name: string }[]
  readonly comments: readonly { readonly body: string }[]
}

const fields = ['--json', 'number,url,state,body,labels,comments']
const listArgs = ['issue', 'list', '--label', 'conformance', '--state', 'all', '--limit', '5000', ...fields]

/** Arguments of `gh issue`, the body that it writes, and the line that reports the change. */
interface Step {
  readonly args: readonly string[]
  readonly text?: string
  readonly line?: string
}

/**
 * Opens, comments, reopens and closes issues, so that they match the last run. A repeated call changes nothing, and a failed step does not
 * stop the others. A run without a result changes nothing, and neither does an expected cause, an unavailable target or a fault of the
 * suite.
 * The memory knows the issue of each cause; without it, an issue is recognised by its text. An issue that the team closed stays closed
 * until its cause comes back.
 *
 * @param runs the memory; the last one is the run of the report
 * @param options `link`: address of the run, for readers; `isDry`: returns the texts and changes nothing
 * @returns one line per change, one sentence per step that failed, and the address of the issue of each cause by its id
 * @throws the error of `gh` if the issues cannot be listed
 */
export async function syncIssues(
  report: Report,
  runs: readonly RememberedRun[],
  gh: Gh,
  { link, isDry = false }: { readonly link?: string | undefined; readonly isDry?: boolean },
) {
  const last = runs.at(-1)
  const urls = new Map<string, string>()
  const done: string[] = []
  const failures: string[] = []
  const synced = { lines: done, failures, issues: urls }
  if (!last || !hasResult(last)) return synced
  const tracks = tracksOf(sameTarget(runs, last.target))
  const issues = isDry ? [] : await listIssues(gh, tracks)
  const known = new Set(tracks.flatMap(({ cause }) => cause.issue ?? []))
  const strangers = issues.filter(
    ({ url, state, body }) => state === 'OPEN' && !known.has(url) && body.includes(platformLine(report)),
  )
  /** Performs the steps about an issue. @returns the output of the first one; undefined if it failed */
  const perform = async (steps: readonly Step[]): Promise<string | undefined> => {
    let first: string | undefined
    for (const [index, { args, text, line }] of steps.entries()) {
      try {
        const body = text === undefined ? [] : ['--body-file', '-']
        const output = isDry ? '' : await gh(['issue', ...args, ...body], text)
        if (index === 0) first = output
        if (line !== undefined) done.push(isDry ? `${line}\n\n${text}` : line)
      } catch (error) {
        failures.push(`${args.slice(0, 2).join(' ')}: ${errorReason(error)}`)
      }
    }
    return first
  }
  const isTaken = (url: string) => [...urls.values()].includes(url)
  const textOf = (...parts: readonly string[]) => joinFitting(parts, link === undefined ? [] : [`Report: ${link}`])

  for (const cause of report.causes.filter(isAboutTarget)) {
    const track = tracks.find((one) => one.cause.id === cause.id && one.seen.at(-1) === last.at)
    const own = track?.cause.issue && issues.find(({ url }) => url === track.cause.issue)
    const issue = own || strangers.find(({ url, body }) => !isTaken(url) && isAbout(body, report, cause))
    const title = withoutLinks(oneLine(causeTitle(cause), 200))
    const since = minuteText(cause.since ?? report.startedAt)
    if (!issue) {
      const text = textOf(...vendorText(report, cause), `Seen since ${since}.`, platformLine(report))
      const args = ['create', '--title', title, '--label', 'conformance']
      const [url] = /https?:\S+/.exec((await perform([{ args, text, line: `opened: ${title}` }])) ?? '') ?? []
      if (url !== undefined) urls.set(cause.id, url)
      continue
    }
    urls.set(cause.id, issue.url)
    const again = `Seen again since ${since}.`
    if (!track?.isFlaky || issue.state === 'OPEN' || hasComment(issue, again)) continue
    const number = `${issue.number}`
    const isLabelled = issue.labels.some(({ name }) => name === 'flaky')
    // The comment says that the issue is open again, so a later call does not reopen an issue that has it.
    const reopening = { args: ['reopen', number], line: `reopened #${number}: ${title}` }
    if ((await perform([reopening])) === undefined) continue
    await perform([
      { args: ['comment', number], text: textOf(again, ...vendorText(report, cause)) },
      ...(isLabelled ? [] : [{ args: ['edit', number, '--add-label', 'flaky'] }]),
    ])
  }

  const isFixed = (issue: Issue): string | undefined => {
    const track = tracks.find(({ cause }) => cause.issue === issue.url)
    if (track) return isOpen(track) ? undefined : track.fixed.at(-1)
    return strangers.includes(issue) && hold(report, issue.body) ? last.at : undefined
  }
  for (const issue of issues.filter(({ state, url }) => state === 'OPEN' && !isTaken(url))) {
    const at = isFixed(issue)
    if (at === undefined) continue
    const text = `Fixed: the run of ${minuteText(at)} does not show it any more.`
    const number = `${issue.number}`
    const comment = { args: ['comment', number], text: textOf(text), line: `commented #${number}` }
    await perform([
      ...(hasComment(issue, text) ? [] : [comment]),
      { args: ['close', number], line: `closed #${number}` },
    ])
  }
  return synced
}

/** Joins parts of a text, and leaves out those that do not fit. */
function joinFitting(parts: readonly string[], ends: readonly string[]): string {
  const rest = 'The text was too long for an issue; the report has the rest.'
  let left = maxLength - [rest, ...ends].join('\n\n').length - 4
  const fitting = parts.filter((part) => {
    const isFitting = part.length + 2 <= left
    if (isFitting) left -= part.length + 2
    return isFitting
  })
  return `${[...fitting, ...(fitting.length < parts.length ? [rest] : []), ...ends].join('\n\n')}\n`
}

function hasComment({ comments }: Issue, text: string): boolean {
  return comments.some(({ body }) => body.includes(text))
}

/** Whether to report a cause to the vendor: the target breaks the contract, and no expectation covers the cause. */
function isAboutTarget({ reason, outcome }: Cause): boolean {
  return reason === undefined && outcome === 'fail'
}

/** What `gh` says of an issue that was deleted. After any other error, the issue may still be there. */
const isDeleted = /could not resolve to|HTTP 4(04|10)/i

/** Lists the issues with the label, and the issues in the memory that lost the label. */
async function listIssues(gh: Gh, tracks: readonly Track[]): Promise<readonly Issue[]> {
  // A label that exists stays as the team has set it.
  for (const [name, description] of Object.entries(labels))
    await gh(['label', 'create', name, '--description', description]).catch(() => {})
  const issues: Issue[] = JSON.parse(await gh(listArgs))
  const listed = new Set(issues.map(({ url }) => url))
  for (const { cause } of tracks)
    if (cause.issue !== undefined && !listed.has(cause.issue)) {
      const one = await gh(['issue', 'view', `${cause.issue}`, ...fields]).catch((error) => {
        if (!isDeleted.test(messageOf(error))) throw error
      })
      if (one) issues.push(JSON.parse(one))
    }
  return issues
}

function platformLine({ target }: Report): string {
  return `Platform: ${[target.managementUrl, target.loggingUrl].map((url) => codeSpan(url ?? target.kind)).join(', ')}`
}

/** Whether an issue that the memory does not know is about a cause: it names the operation and quotes the cause's first sentence. */
function isAbout(body: string, report: Report, cause: Cause): boolean {
  const { sentences } = causeFacts(report, cause)
  return body.startsWith(vendorHead(cause)) && (!sentences[0] || body.includes(quoteOf(sentences[0])))
}

/** Whether all sentences that an issue quotes hold. */
function hold({ requirements }: Report, body: string): boolean {
  const quoted = requirements.filter((one) => body.includes(quoteOf(one)))
  return quoted.length > 0 && quoted.every(({ outcome }) => outcome === 'pass')
}
