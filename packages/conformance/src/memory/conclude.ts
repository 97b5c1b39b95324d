import { appendFile, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeWhole } from '@cdn/kit/private-file'
import { errorReason } from '../exchange/failure.ts'
import { withFileErrors } from '../exchange/file-errors.ts'
import { withoutWorkflowCommands } from '../exchange/format-text.ts'
import { readJson } from '../exchange/read-json.ts'
import type { RememberedRun, Report } from '../exchange/report-model.ts'
import { toJunit } from '../report/junit.ts'
import { markdownReport } from '../report/markdown.ts'
import { toHtml } from '../report/page/page.ts'
import { runsPage } from '../report/page/runs.ts'
import { type RememberedCause, withChanges } from '../verdict/changes.ts'
import { changeMemory, earlierRuns, memoryFile, type StoredCase } from './memory.ts'
import { digestOf, type MessageForm, messagesOf, type ReportPlace } from './message.ts'
import { summaryOf } from './summary.ts'
import { post } from './webhook.ts'

/** The places where a run leaves its results. */
export interface Traces extends ReportPlace {
  /** Folder of the reports. The memory is the file of the same name next to it. */
  readonly out: string
  /** File of the job summary of GitHub Actions. */
  readonly summary?: string | undefined
  readonly webhook?: { readonly url: URL; readonly form: MessageForm } | undefined
  /** Called with the report before anything is written, so that the result is shown whatever happens then. */
  readonly show?: (report: Report) => void
  /** Called with one sentence per problem with the memory, the job summary or the message that does not make `conclude` fail. */
  readonly say?: (sentence: string) => void
}

/**
 * Leaves the traces of a run, however it ended: the reports, a line in the memory and, if configured, the job summary and, last of all, a
 * message. If this run and the previous one exit with 0, a message is sent only if something changed.
 *
 * @returns the report with `changes`
 * @throws SuiteConfigurationError in one sentence if the memory cannot be read, or if the reports or the memory cannot be written; the
 *   message, which contains this sentence, is sent before the error is thrown
 */
export async function conclude(report: Report, traces: Traces): Promise<Report> {
  const { out, link, summary, webhook, show = () => {}, say = () => {} } = traces
  const failures: Error[] = []
  const note = (error: Error) => void failures.push(error)
  const earlier = earlierRuns(out, say, note)
  const copy = join('runs', `${report.startedAt.replaceAll(':', '-')}.html`)
  const whole = withChanges(report, earlier)
  show(whole)
  const run = summaryOf(whole, earlier, link ?? copy)
  const messagesWith = (failure?: Error) => {
    const digest = webhook && digestOf(whole, earlier, traces, failure?.message)
    return digest ? messagesOf(digest, webhook.form) : []
  }
  // If the process is killed before the receiver takes the message, the next message includes its lines.
  const pending = webhook && messagesWith().flatMap(({ later }) => later)
  const after = (runs: readonly RememberedRun[]) => (pending ? withUndelivered(runs, run, pending) : [...runs, run])
  await writePages(whole, after(earlier), { out, copy: link === undefined ? copy : undefined }).catch(note)
  await changeMemory(memoryFile(out), ({ runs, cases }) => ({
    runs: after(runs),
    cases: casesAfter(cases, whole),
  })).catch(note)
  if (summary !== undefined)
    await appendFile(summary, withoutWorkflowCommands(markdownReport(whole))).catch((error) =>
      say(`The job summary cannot be written: ${errorReason(error)}.`),
    )
  // If the run did not start for the same reason, its report says so already.
  const isSaid = failures.some(({ message }) => whole.problems?.includes(message))
  const failure = isSaid ? undefined : failures[0]
  await tell(messagesWith(failure), run, traces)
  if (failure !== undefined) throw failure
  return whole
}

/** Sends the messages about a run. The memory keeps the lines that the receiver did not take. */
async function tell(
  messages: ReturnType<typeof messagesOf>,
  run: RememberedRun,
  { out, webhook, say = () => {} }: Traces,
): Promise<void> {
  if (!webhook || messages.length === 0) return
  const undelivered: string[] = []
  let reason: string | undefined
  for (const { body, later } of messages) {
    reason ??= await post(webhook.url, body)
    if (reason !== undefined) undelivered.push(...later)
  }
  const consequence = await changeMemory(memoryFile(out), ({ runs }) => ({
    runs: withUndelivered(runs, run, undelivered),
  })).then(
    () => 'The next message includes its lines.',
    ({ message }: Error) => `Its lines are lost: ${message}`,
  )
  if (reason !== undefined) say(`The message was not delivered: ${reason}. ${consequence}`)
}

/** Adds or replaces a run, with all undelivered lines. They include those of earlier runs against its target. */
function withUndelivered(
  runs: readonly RememberedRun[],
  run: RememberedRun,
  lines: readonly string[],
): RememberedRun[] {
  const others = runs.filter(({ at }) => at !== run.at)
  const taken = ({ undelivered: _, ...rest }: RememberedRun) => rest
  return [
    ...others.map((one) => (one.target === run.target ? taken(one) : one)),
    lines.length > 0 ? { ...run, undelivered: lines } : run,
  ]
}

/** Maximum number of pages in the folder `runs`; older ones are deleted. */
const maxPages = 60

/** Writes each file completely or not at all. Only its owner can read it, because reports may contain log rows of visitors. */
async function writePages(
  report: Report,
  runs: readonly RememberedRun[],
  { out, copy }: { readonly out: string; readonly copy: string | undefined },
): Promise<void> {
  const page = await writeReport(report, runs, out)
  await withFileErrors('write the reports into', out, async () => {
    await writeWhole(join(out, 'nights.html'), runsPage(runs))
    if (copy === undefined) return
    await writeWhole(join(out, copy), page)
    const pages = (await readdir(join(out, 'runs'))).filter((name) => name.endsWith('.html')).sort()
    for (const name of pages.slice(0, -maxPages)) await rm(join(out, 'runs', basename(name)), { force: true })
  })
}

/**
 * Writes the files of a report, even if the report is not complete yet.
 *
 * @returns the page
 */
export async function writeReport(report: Report, runs: readonly RememberedRun[], out: string): Promise<string> {
  const page = toHtml(report, runs)
  const files = {
    'report.json': jsonReport(report),
    'observations.json': jsonReport(observationsOf(report)),
    'junit.xml': toJunit(report),
    'summary.md': markdownReport(report),
    'index.html': page,
  }
  await withFileErrors('write the reports into', out, async () => {
    for (const [name, text] of Object.entries(files)) await writeWhole(join(out, name), text)
  })
  return page
}

/** Stores the issues of the causes of a run in the memory. */
export async function rememberIssues(out: string, at: string, issues: ReadonlyMap<string, string>): Promise<void> {
  const withIssue = (cause: RememberedCause): RememberedCause => {
    const issue = issues.get(cause.id)
    return issue === undefined ? cause : { ...cause, issue }
  }
  await changeMemory(memoryFile(out), ({ runs }) => ({
    runs: runs.map((run) => (run.at === at ? { ...run, causes: run.causes.map(withIssue) } : run)),
  }))
}

/** Adds a killed run to the memory, with the results in its last report. */
export async function rememberKilled(out: string): Promise<void> {
  const report = await readJson(join(out, 'report.json'), 'report', 'Report').catch(() => undefined)
  if (report?.status !== 'running') return
  const killed: Report = { ...report, status: 'interrupted', exitCode: 130 }
  // If the next run was killed before its first report, the report is still that of the run before.
  await changeMemory(memoryFile(out), ({ runs }) =>
    runs.some(({ at }) => at === report.startedAt) ? {} : { runs: [...runs, summaryOf(killed, runs)] },
  )
}

/** The part of a report that an emulator can follow. It has no rows, so other teams may have it. */
function observationsOf({ startedAt, seed, contract, observations }: Report) {
  return { startedAt, seed, contract, observations }
}

/** Returns the stored cases after a run: it adds or replaces the case of each failed check, and removes that of a check that passed. */
export function casesAfter(cases: readonly StoredCase[], { checks, seed, target }: Report): StoredCase[] {
  const decided = new Set(checks.flatMap(({ id, outcome }) => (outcome === 'pass' || outcome === 'fail' ? [id] : [])))
  const failed = checks.flatMap(({ id, outcome, evidence, requests }): StoredCase[] =>
    outcome === 'fail' && evidence && requests > 0
      ? [{ target: target.kind, check: id, seed, calls: evidence.calls ?? [] }]
      : [],
  )
  const isOpen = (stored: StoredCase) => stored.target !== target.kind || !decided.has(stored.check)
  return [...cases.filter(isOpen), ...failed]
}

/**
 * Returns the report as JSON that is valid according to `report.schema.json`.
 *
 * Lone surrogates become U+FFFD, because jq and other tools reject a file with a lone surrogate.
 */
export function jsonReport(report: Partial<Report>): string {
  const wellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)
  return `${JSON.stringify(report, wellFormed, 2)}\n`
}
