/** The history of the nights: one line of JSON per run in `history.ndjson`, for a year. */
import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { deflateSync, inflateSync } from 'node:zlib'
import type { Schemas } from '../gen/schemas.ts'
import type { CheckResult, Report } from '../report/model.ts'
import { durationText, minuteText } from '../report/text.ts'
import { writeWhole } from '../run/files.ts'
import { validatorOf } from '../run/read-json.ts'

/** Outcome of one night in one letter. */
export type Letter = Schemas['Letter']

/** One run. */
export type Night = Schemas['Night']

const letters = { pass: 'p', fail: 'f', skip: 's', disabled: 'x', error: 'e' } as const

/** Summarizes a report for the history. */
export function nightOf(report: Report, link?: string): Night {
  const { startedAt, durationMs, status, exitCode, target, summary } = report
  const checks = new Map(report.checks.map((check) => [check.id, check]))
  const isExpected = ({ outcome, expectedFailure }: CheckResult) => outcome === 'fail' && expectedFailure !== undefined
  const letterOf = (check: CheckResult): Letter => {
    if (isExpected(check)) return 'k'
    return check.deferred && check.outcome === 'skip' ? 'd' : letters[check.outcome]
  }
  const requirements = report.requirements.flatMap(({ id, outcome, deferred, checks: ids }): [string, Letter][] => {
    if (outcome === undefined) return []
    const failed = ids.flatMap((one) => checks.get(one) ?? []).filter((check) => check.outcome === 'fail')
    if (outcome === 'fail') return [[id, failed.length > 0 && failed.every(isExpected) ? 'k' : 'f']]
    return [[id, deferred ? 'd' : letters[outcome]]]
  })
  const others = report.checks.filter((check) => check.requirements.length === 0)
  return {
    ...{ at: startedAt, target: Object.values(target).join(' '), durationMs, status, exitCode },
    ...(link !== undefined && { link }),
    requests: summary.requests,
    requirements: Object.fromEntries([...requirements, ...others.map((check) => [check.id, letterOf(check)] as const)]),
    checks: Object.fromEntries(report.checks.map((check) => [check.id, letterOf(check)])),
    drift: report.observations.filter(({ drift }) => drift).map(({ id }) => id),
  }
}

const maxAgeMs = 366 * 86_400_000
/** Maximum length of the details of a night, in bytes. */
const maxDetails = 10_000_000

/**
 * Reads the history, oldest night first. A missing file is empty, and a damaged line is skipped.
 *
 * @throws the file system's error, also for a symbolic link
 */
export async function readHistory(file: string): Promise<Night[]> {
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW
  const text = await readFile(file, { encoding: 'utf8', flag }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').flatMap(parseNight)
}

/**
 * Writes the history with one more night. Nights that are more than a year older are left out.
 *
 * @throws the file system's error
 */
export async function writeHistory(file: string, earlier: readonly Night[], night: Night): Promise<void> {
  const oldest = Date.parse(night.at) - maxAgeMs
  const kept = [...earlier.filter(({ at }) => Date.parse(at) > oldest), night]
  await writeWhole(file, kept.map((one) => `${formatNight(one)}\n`).join(''))
}

/**
 * Formats a night as a line. Its hundreds of ids are compressed, so that a year takes two megabytes and each line still stands
 * for itself; zlib's checksum detects damage.
 */
export function formatNight({ requirements, checks, drift, ...facts }: Night): string {
  const details = { requirements, checks, drift }
  return JSON.stringify({ ...facts, details: deflateSync(JSON.stringify(details)).toString('base64') })
}

function parseNight(line: string): Night[] {
  try {
    const { details, ...facts } = JSON.parse(line)
    const text = inflateSync(Buffer.from(details, 'base64'), { maxOutputLength: maxDetails }).toString()
    const night: unknown = { ...facts, ...JSON.parse(text) }
    return validatorOf('Night')(night) ? [night] : []
  } catch {
    return []
  }
}

/**
 * Describes the last complete run against a kind of target, and whether it is recent.
 *
 * @param now ms since 1970
 * @param maxAgeMs maximum time since the start of the last complete run
 */
export function statusOf(nights: readonly Night[], kind: string, now: number, maxAgeMs: number) {
  const last = nights.findLast((night) => night.status === 'complete' && night.target.split(' ')[0] === kind)
  if (!last) return { isRecent: false, sentence: `No complete run against the target ${kind} is in the history.` }
  const ageMs = now - Date.parse(last.at)
  const sentence = `The last complete run against the target ${kind} began at ${minuteText(last.at)}, ${hours(ageMs)} ago, with exit code ${last.exitCode}.`
  const isRecent = ageMs <= maxAgeMs
  return { isRecent, sentence: isRecent ? sentence : `${sentence} It is older than ${hours(maxAgeMs)}.` }
}

function hours(ms: number): string {
  return ms < 3_600_000 ? durationText(ms) : `${(ms / 3_600_000).toFixed(1)} h`
}
