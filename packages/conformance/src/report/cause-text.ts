/** A cause as text, for people who did not see the run: the vendor, an issue, a job summary. */
import { cleanLines } from '@cdn/kit/text'
import { curlLine, exchangeText } from './evidence.ts'
import type { Cause, CheckResult, Exchange, Report, RequirementResult } from './model.ts'
import { cellLine, code, dayText, escapeMarkdown, operationText, sectionLabel } from './text.ts'

/** What a report knows about a cause. */
export interface CauseFacts {
  readonly cause: Cause
  /** The check that shows the cause best. */
  readonly check: CheckResult | undefined
  /** The sentences that it breaks, those of the spec first. */
  readonly sentences: readonly RequirementResult[]
  /** The requirements that stay undecided because of it. */
  readonly undecided: readonly RequirementResult[]
  /** The exchanges that show it. */
  readonly exchanges: readonly Exchange[]
  /** The day of its first run; empty if that is this one. */
  readonly since: string
}

/** Collects what a report knows about a cause. */
export function factsOf({ checks, requirements, startedAt }: Report, cause: Cause): CauseFacts {
  const check = checks.find(({ id }) => id === cause.checks[0])
  const sentences = cause.requirements.flatMap((id) => requirements.find((one) => one.id === id) ?? [])
  const hidden = new Set([...cause.masked, ...(cause.outcome === 'error' ? cause.checks : [])])
  return {
    cause,
    check,
    sentences: sentences.toSorted((one, other) => +(one.source !== 'spec') - +(other.source !== 'spec')),
    undecided: requirements.filter(
      ({ outcome, checks: own }) => outcome !== 'fail' && outcome !== 'pass' && own.some((id) => hidden.has(id)),
    ),
    exchanges: check ? showing(check, cause) : [],
    since: cause.since === undefined || cause.since === startedAt ? '' : dayText(cause.since),
  }
}

/**
 * Picks the exchanges that show a cause: of a sequence, its writes and the read after them; of a status, the last exchange with that
 * status, otherwise the last one; of anything else, the last exchange of each operation.
 */
function showing({ evidence }: CheckResult, { seen }: Cause): Exchange[] {
  const exchanges = evidence?.exchanges ?? []
  const isSequence = (evidence?.calls?.length ?? 0) > 1
  const status = /^status (\d+)/.exec(seen)?.[1]
  if (isSequence) {
    const writes = exchanges.filter(({ request }) => request.method !== 'GET').slice(-(evidence?.calls?.length ?? 1))
    return [...writes, ...exchanges.slice(-1).filter(({ request }) => request.method === 'GET')]
  }
  if (status === undefined) {
    // A comparison shows the last exchange of each operation that takes part.
    const last = new Map(exchanges.map((one) => [one.operation, one]))
    return [...last.values()]
  }
  const one = exchanges.findLast(({ response }) => String(response?.status) === status) ?? exchanges.at(-1)
  return one ? [one] : []
}

/** Number of characters. The title of a cause shows a shorter observation together with the expected value. */
const minTelling = 20

/** What was seen, with what was expected if that alone says little: `31 instead of at most 30 requests`. */
export function seenText({ seen, expected }: Pick<Cause, 'seen' | 'expected'>): string {
  const isTelling = seen.length >= minTelling || seen.startsWith('status ')
  return isTelling ? seen : `${seen} instead of ${cellLine(expected, 80)}`
}

/** The title of a cause: the operation and what was seen. */
export function causeTitle(cause: Cause): string {
  return `${operationText(cause.operation)}: ${seenText(cause)}`
}

/** A cause in a line: the operation, what was seen, and what was expected. */
export function causeLine({ operation, seen, expected }: Cause): string {
  return `${operationText(operation)}: ${seen}, expected ${expected}`
}

/** Time, duration and request id of an exchange in a line, such as `2026-11-25 02:18:04 UTC, 143 ms, request id 8f3c`. */
export function exchangeLine({ at, durationMs, response }: Exchange): string {
  const id = Object.entries(response?.headers ?? {}).find(([name]) => /request-?id$/i.test(name))?.[1]
  const time = at === undefined ? [] : [`${at.slice(0, 19).replace('T', ' ')} UTC`]
  return [...time, `${durationMs} ms`, ...(id === undefined ? [] : [`request id ${id}`])].join(', ')
}

/** Returns a cause as Markdown that a vendor can act on without the report. All text of the target is escaped. */
export function vendorText(report: Report, cause: Cause): string {
  const { sentences, exchanges } = factsOf(report, cause)
  const shown = exchanges.flatMap((exchange) => [
    `${escapeMarkdown(exchangeLine(exchange))}:`,
    fence(exchangeText(exchange), 'http'),
    fence(curlLine(exchange.request), 'sh'),
  ])
  return [
    `**${escapeMarkdown(operationText(cause.operation))}**`,
    `Expected: ${escapeMarkdown(cause.expected)}  \nSeen: ${escapeMarkdown(cause.seen)}`,
    ...sentences.map(
      ({ text, section, id }) => `> ${escapeMarkdown(text)} (${escapeMarkdown(sectionLabel(section))}, ${code(id)})`,
    ),
    ...shown,
  ].join('\n\n')
}

/** A block of code whose text cannot end it, and that holds no comment of HTML. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${cleanLines(text).replaceAll('<!--', '<! --')}\n${ticks}`
}
