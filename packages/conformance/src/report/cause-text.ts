/** Describes a cause as text for people who did not see the run: in issues, job summaries and messages to the vendor. */
import { plural } from '@cdn/kit/plural'
import { cleanLines } from '@cdn/kit/text'
import type { Expected, Seen } from '../exchange/failure.ts'
import { codeSpan, dayText, escapeMarkdown, oneLine, operationText, sectionLabel } from '../exchange/format-text.ts'
import { personalFilters } from '../exchange/log-rows.ts'
import type { Cause, CheckResult, Report, ReportedExchange, RequirementResult } from '../exchange/report-model.ts'
import { curlLine, exchangeText } from './evidence.ts'

export type CauseFacts = ReturnType<typeof causeFacts>

/**
 * Returns a cause with the parts of the report that belong to it: the check and the exchanges that show it best, the sentences that it
 * breaks or leaves undecided, and the day of the first run that shows it (empty if this run is the first).
 */
export function causeFacts({ checks, requirements, startedAt }: Report, cause: Cause) {
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
function showing({ evidence }: CheckResult, { seen }: Cause): ReportedExchange[] {
  const exchanges = evidence?.exchanges ?? []
  const isSequence = (evidence?.calls?.length ?? 0) > 1
  if (isSequence) {
    const writes = exchanges.filter(({ request }) => request.method !== 'GET').slice(-(evidence?.calls?.length ?? 1))
    return [...writes, ...exchanges.slice(-1).filter(({ request }) => request.method === 'GET')]
  }
  if (seen.kind !== 'status') {
    const last = new Map(exchanges.map((one) => [one.operation, one]))
    return [...last.values()]
  }
  const one = exchanges.findLast(({ response }) => response?.status === seen.status) ?? exchanges.at(-1)
  return one ? [one] : []
}

/** What the contract requires, as a noun phrase. */
export function expectedText(expected: Expected): string {
  if (expected.kind === 'value') return oneLine(expected.text, 300)
  const what = expected.kind === 'status' ? statusText(expected.statuses) : nouns[expected.kind]
  return oneLine(expected.for === undefined ? what : `${what} for ${expected.for}`, 300)
}

const nouns = { success: 'a success (2xx)', refusal: 'a refusal' } as const

function statusText(statuses: readonly string[]): string {
  return `status ${statuses.join(' or ')}`
}

const bodies = { none: ' with an empty body', json: '', other: ' with a body that is not JSON' } as const

/** Fields of log rows that say nothing about a visitor. */
const impersonal = /(?:^|\.)(?:cacheStatus|status|statusCode|timestamp|pullZoneId|bytesSent|edgeLocation|scheme)$/

/**
 * What a check saw, with the wrong elements and their places.
 *
 * @param isPublic whether readers may see no data of visitors: then only the places of personal fields are shown
 */
export function seenText(seen: Seen, isPublic = false): string {
  const repeated = onceText(seen)
  switch (seen.kind) {
    case 'status': {
      const times = seen.count !== undefined && seen.count > 1 ? ` (${plural(seen.count, 'response')})` : ''
      return `status ${seen.status}${bodies[seen.body]}${times}${repeated}`
    }
    case 'silence':
      return `no complete response: ${oneLine(seen.reason, 300)}`
    case 'fault':
      return oneLine(seen.text, 300)
    case 'state':
      return `${stateText(seen)}: ${oneLine(seen.text, 300)}`
    case 'value': {
      const isShown = (field: string) => !isPublic || impersonal.test(field)
      const places = (seen.at ?? []).map(({ path, text }) => (isShown(path) ? `${path} is ${text}` : path))
      const isText = seen.text !== undefined && (isShown(seen.field ?? '') || /^\d+ \w+$/.test(seen.text))
      const details = [...(isText ? [seen.text] : []), ...places].join(', ')
      return `${valueText(seen)}${details && `: ${oneLine(details, 300)}`}${repeated}`
    }
  }
}

function stateText({ path, field, how = 'is not as stated' }: Extract<Seen, { kind: 'state' }>): string {
  return field === '' ? `${path} ${how}` : `${oneLine(field, 80)} of ${path} ${how}`
}

function valueText({ what, field }: Extract<Seen, { kind: 'value' }>): string {
  return field === undefined ? what : `${what} (${oneLine(field, 120)})`
}

function onceText(seen: Seen): string {
  return 'once' in seen ? ', once (right when repeated)' : ''
}

/** A cause as a clause with a subject, such as `limit=0 is answered 200 instead of 400`. It quotes no text of the target. */
export function causeClause({ seen, expected }: Pick<Cause, 'seen' | 'expected'>): string {
  const repeated = onceText(seen)
  switch (seen.kind) {
    case 'status':
      return `${answerText(seen, expected)}${repeated}`
    case 'silence':
      return 'requests get no complete response'
    case 'fault':
      return 'the suite has a fault'
    case 'state':
      return stateText(seen)
    case 'value':
      return `${valueText(seen)}${repeated}`
  }
}

function answerText({ status, body }: Extract<Seen, { kind: 'status' }>, expected: Expected): string {
  if (expected.kind === 'value')
    return `a request is answered ${status}${bodies[body]} instead of ${expectedText(expected)}`
  const statuses = expected.kind === 'status' ? expected.statuses.join(' or ').replace('2XX', nouns.success) : ''
  const what = { status: statuses, ...nouns }[expected.kind]
  const isUnauthorized = expected.kind === 'status' && expected.statuses.every((each) => each === '401')
  const request = expected.for ?? (isUnauthorized ? 'a request without a valid credential' : 'a request')
  return `${oneLine(request, 120)} is answered ${status} instead of ${what}`
}

/** Title of a cause in issues and job summaries: the operation and what is wrong. */
export function causeTitle(cause: Cause): string {
  return `${operationText(cause.operation)}: ${causeClause(cause)}`
}

/** One line about a cause: the operation, what was seen and what is expected. */
export function causeLine({ operation, seen, expected }: Cause): string {
  return `${operationText(operation)}: ${seenText(seen)}, expected ${expectedText(expected)}`
}

export function failureText({ seen, expected }: Pick<Cause, 'seen' | 'expected'>): string {
  return `expected ${expectedText(expected)}, saw ${seenText(seen)}`
}

/** Time, duration and request id of an exchange in a line, such as `2026-11-25 02:18:04 UTC, 143 ms, request id 8f3c`. */
export function exchangeLine({ at, durationMs, response }: ReportedExchange): string {
  const id = Object.entries(response?.headers ?? {}).find(([name]) => /request-?id$/i.test(name))?.[1]
  const time = at === undefined ? [] : [`${at.slice(0, 19).replace('T', ' ')} UTC`]
  return [...time, `${durationMs} ms`, ...(id === undefined ? [] : [`request id ${id}`])].join(', ')
}

/**
 * Returns the parts of a text in Markdown that a vendor can act on without the report: the operation, what is expected and seen, the broken
 * sentences, and the exchanges. It has no rows of visitors. All text of the target is escaped.
 */
export function vendorText(report: Report, cause: Cause): string[] {
  const { sentences, exchanges } = causeFacts(report, cause)
  return [
    vendorHead(cause),
    `Expected: ${escapeMarkdown(expectedText(cause.expected))}  \nSeen: ${escapeMarkdown(seenText(cause.seen, isOfLogs(cause)))}`,
    ...sentences.map(quoteOf),
    ...exchanges.map((exchange) =>
      [
        `${codeSpan(exchangeLine(exchange))}:`,
        fence(exchangeText(withoutVisitors(exchange)), 'http'),
        fence(curlLine(withoutVisitors(exchange).request), 'sh'),
      ].join('\n\n'),
    ),
  ]
}

/** Whether the evidence may have log rows, which are about visitors. */
function isOfLogs({ operation }: Cause): boolean {
  return !operation.startsWith('management.')
}

export function vendorHead({ operation }: Cause): string {
  return `**${escapeMarkdown(operationText(operation))}**`
}

export function quoteOf({ text, section }: RequirementResult): string {
  return `> ${escapeMarkdown(text)} (${escapeMarkdown(sectionLabel(section))})`
}

const filters = new RegExp(`([?&](?:${personalFilters.join('|')})=)[^?&]+`, 'g')

/** Leaves out the body of a success that contains log rows, and the values of filters, because they are about visitors. */
function withoutVisitors(exchange: ReportedExchange): ReportedExchange {
  const { operation, request, response } = exchange
  if (!operation?.startsWith('logging.')) return exchange
  const isOfRows = response && response.status < 300 && response.body !== ''
  return {
    ...exchange,
    request: { ...request, url: request.url.replace(filters, '$1[left-out]') },
    ...(isOfRows && { response: { ...response, body: '(left out, because it has log rows of visitors)' } }),
  }
}

/** Returns a code block that its text cannot end, and that contains no HTML comment. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${cleanLines(text).replaceAll('<!--', '<! --')}\n${ticks}`
}
