/** Describes a cause as text for people who did not see the run: in issues, job summaries and messages to the vendor. */
import { cleanLines } from '@cdn/kit/text'
import type { Cause, CheckResult, Exchange, Report, RequirementResult } from '../exchange/report-model.ts'
import { cellLine, code, dayText, escapeMarkdown, operationText, sectionLabel } from '../exchange/text.ts'
import { curlLine, exchangeText } from './evidence.ts'

/** A cause, with the parts of the report that belong to it. */
export interface CauseFacts {
  readonly cause: Cause
  /** The check that shows the cause best. */
  readonly check: CheckResult | undefined
  /** The sentences that the cause breaks, that of the shown check first. */
  readonly sentences: readonly RequirementResult[]
  /** The requirements that stay undecided because of the cause. */
  readonly undecided: readonly RequirementResult[]
  /** The exchanges that show the cause. */
  readonly exchanges: readonly Exchange[]
  /** Day of the first run that shows the cause; empty if this run is the first. */
  readonly since: string
}

export function factsOf({ checks, requirements, startedAt }: Report, cause: Cause): CauseFacts {
  const check = checks.find(({ id }) => id === cause.checks[0])
  const sentences = cause.requirements.flatMap((id) => requirements.find((one) => one.id === id) ?? [])
  // The sentence that the evidence is about comes first.
  const rankOf = ({ id, source }: RequirementResult) =>
    (check?.requirements.includes(id) ? 0 : 2) + (source === 'spec' ? 0 : 1)
  const hidden = new Set([...cause.masked, ...(cause.outcome === 'error' ? cause.checks : [])])
  return {
    cause,
    check,
    sentences: sentences.toSorted((one, other) => rankOf(one) - rankOf(other)),
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
    const last = new Map(exchanges.map((one) => [one.operation, one]))
    return [...last.values()]
  }
  const one = exchanges.findLast(({ response }) => String(response?.status) === status) ?? exchanges.at(-1)
  return one ? [one] : []
}

/** Minimum number of characters of an observation that stands alone in a title. A shorter one needs the expected value. */
const minTelling = 20

/** The observation, with the expected value if the observation alone says little: `31 instead of at most 30 requests`. */
export function seenText({ seen, expected }: Pick<Cause, 'seen' | 'expected'>): string {
  const isTelling = seen.length >= minTelling || seen.startsWith('status ')
  return isTelling ? seen : `${seen} instead of ${cellLine(expected, 80)}`
}

/** Title of a cause in issues and job summaries: the operation and the observation. */
export function causeTitle(cause: Cause): string {
  return `${operationText(cause.operation)}: ${seenText(cause)}`
}

/** One line about a cause: the operation, the observation and the expected value. */
export function causeLine({ operation, seen, expected }: Cause): string {
  return `${operationText(operation)}: ${seen}, expected ${expected}`
}

/** Time, duration and request id of an exchange in a line, such as `2026-11-25 02:18:04 UTC, 143 ms, request id 8f3c`. */
export function exchangeLine({ at, durationMs, response }: Exchange): string {
  const id = Object.entries(response?.headers ?? {}).find(([name]) => /request-?id$/i.test(name))?.[1]
  const time = at === undefined ? [] : [`${at.slice(0, 19).replace('T', ' ')} UTC`]
  return [...time, `${durationMs} ms`, ...(id === undefined ? [] : [`request id ${id}`])].join(', ')
}

/**
 * Returns the parts of a text in Markdown that a vendor can act on without the report: the operation, what is expected and seen, the broken
 * sentences, and the exchanges. It has no rows of visitors. All text of the target is escaped.
 */
export function vendorText(report: Report, cause: Cause): string[] {
  const { sentences, exchanges } = factsOf(report, cause)
  return [
    vendorHead(cause),
    `Expected: ${escapeMarkdown(cause.expected)}  \nSeen: ${escapeMarkdown(cause.seen)}`,
    ...sentences.map(quoteOf),
    ...exchanges.map((exchange) =>
      [
        `${code(exchangeLine(exchange))}:`,
        fence(exchangeText(withoutRows(exchange)), 'http'),
        fence(curlLine(exchange.request), 'sh'),
      ].join('\n\n'),
    ),
  ]
}

export function vendorHead({ operation }: Cause): string {
  return `**${escapeMarkdown(operationText(operation))}**`
}

export function quoteOf({ text, section }: RequirementResult): string {
  return `> ${escapeMarkdown(text)} (${escapeMarkdown(sectionLabel(section))})`
}

/** Leaves out the body of a success that contains log rows, because they are about visitors. */
function withoutRows(exchange: Exchange): Exchange {
  const { operation, response } = exchange
  if (!operation?.startsWith('logging.') || !response || response.status >= 300 || response.body === '') return exchange
  const body = `(${response.body.length} characters with log rows; they are in the report)`
  return { ...exchange, response: { ...response, body } }
}

/** Returns a code block that its text cannot end, and that contains no HTML comment. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${cleanLines(text).replaceAll('<!--', '<! --')}\n${ticks}`
}
