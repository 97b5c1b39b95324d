import { isStated } from '@cdn/api/contract'
import { parseJson } from '@cdn/kit/json'
import { shownId } from '../cases/state/own-items.ts'
import { failureOf } from '../cases/state/state-failure.ts'
import type { Exchange, ReceivedResponse, SentRequest } from '../exchange/exchange.ts'
import { errorReason, mistakeKey, type Seen, Skip } from '../exchange/failure.ts'
import { receive } from '../exchange/receive.ts'
import type { Redactor } from '../exchange/redact.ts'
import type { ExchangeBreach, Observation, ReportedExchange } from '../exchange/report-model.ts'
import type { RequestedOperation } from '../exchange/requested-operation.ts'
import { sourceOf } from '../exchange/requirements.ts'
import { isSuccess, matchesStatus, parseBody } from '../exchange/response.ts'
import { isOpenStatus, validateResponse } from '../exchange/validate-response.ts'
import { violationsOf } from '../rules/rules.ts'
import { brokenBy, senderOf, suspectOf } from '../rules/state/sentences.ts'
import type { StateViolation } from '../rules/state/suspects.ts'
import { platformMs, type Session } from './targets/target.ts'

/** Maximum number of reads in the evidence, and of writes. They count separately, because many reads may follow a write. */
const exchangesKept = 5
/** Maximum length of a body in the evidence, in characters. */
const maxEvidenceBody = 4_000
/** The same, if the evidence has the wrong elements. */
const maxBodyBesideElements = 600
/** Maximum length of a success of the logs that the history keeps. A page can be of any size. */
const maxKept = 16_000
/** Maximum number of characters of a body that are redacted. */
const redactedAtOnce = 16 * maxEvidenceBody
type Show = (maxBody?: number) => ReportedExchange

/** The exchange of each response of the process, so that a check can accuse a response to another check. */
const recorded = new WeakMap<ReceivedResponse, Show>()

/** Returns the exchanges of responses as evidence. If `seen` has the wrong elements, the start of each body is enough. */
export function exchangesOf(responses: readonly ReceivedResponse[], seen: Seen): ReportedExchange[] {
  return responses.flatMap((response) => recorded.get(response)?.(lengthFor(seen)) ?? [])
}

function lengthFor(seen: Seen): number {
  return seen.kind === 'value' && seen.at ? maxBodyBesideElements : maxEvidenceBody
}

export function redactStrings<T>(data: T, { text }: Redactor): T {
  return JSON.parse(JSON.stringify(data), (_, value) => (typeof value === 'string' ? text(value) : value))
}

/**
 * Records the exchanges of a check: keeps the last ones, and judges each by every rule. An exchange that breaks no rule is also
 * validated against both layers of the contract.
 *
 * @param check id of the check, for the breaches
 */
export function createRecorder(
  { fetch: send, fixtures, now, history }: Pick<Session, 'fetch' | 'fixtures' | 'now' | 'history'>,
  redactor: Redactor,
  check: string,
) {
  let requests = 0
  let totalMs = 0
  // Redact an exchange only when it is shown, because few exchanges become evidence.
  const last: { readonly isRead: boolean; readonly show: Show }[] = []
  const breaches: ExchangeBreach[] = []
  const observations: Observation[] = []
  const operations = new Set<string>()

  /**
   * Sends a request, judges the response, and adds the exchange to the history. Counts the request even if the response is lost.
   *
   * @param requested the operation of the contract that the request matches, if any
   * @param sent the operation that the request is for, and whether it must have no effect
   */
  const record = async (
    request: Request,
    requested: RequestedOperation | undefined,
    sent?: SentRequest,
  ): Promise<ReceivedResponse> => {
    const started = performance.now()
    const at = now()
    const start = history.next()
    const body = request.body === null ? undefined : await request.clone().text()
    const keep = (
      end: (maxBody: number) => Pick<ReportedExchange, 'response'> | Pick<ReportedExchange, 'error'>,
      ms = performance.now() - started,
    ) => {
      requests++
      const durationMs = Math.round(ms)
      totalMs += durationMs
      const operation = requested && { operation: `${requested.operation.interface}.${requested.operation.name}` }
      const facts = { at: at.toISOString(), durationMs, ...operation }
      const show: Show = (maxBody = maxEvidenceBody) => ({
        request: showRequest(request, body, redactor),
        ...end(maxBody),
        ...facts,
      })
      const isRead = request.method === 'GET'
      last.push({ isRead, show })
      const alike = last.filter((one) => one.isRead === isRead)
      if (alike[0] && alike.length > exchangesKept) last.splice(last.indexOf(alike[0]), 1)
      return show
    }
    /** @param sentMs the target's time at which the request was sent; without a response, the time before any wait for the rate limit */
    const remember = (sentMs: number, response?: ReceivedResponse) => {
      const operation = sent?.operation ?? requested?.operation
      // Each request to the logs may count for the rate limit. Nothing states what another spelling of a path shows.
      const isLimited = operation?.rateLimit !== undefined
      if (!operation || !(isLimited || (isStated(operation) && !sent?.request?.spell))) return
      if (!isLimited && operation.effect === 'read' && requested?.operation !== operation) return
      const isKept = !isLimited || !response || !isSuccess(response) || response.text.length <= maxKept
      history.add({
        ...{ operation, check, start, end: history.next(), startMs: sentMs, endMs: now().getTime() },
        response: isKept ? response : undefined,
        ...{
          method: request.method,
          path: sent?.path ?? requested?.parameters ?? {},
          noEffect: sent?.noEffect,
          request: sent?.request,
        },
        query: new URL(request.url).searchParams,
        body: body === undefined ? undefined : exactJson(body),
        status: response?.status ?? 0,
        shown: response && isSuccess(response) && !isLimited ? parseBody(response) : undefined,
        createdId:
          response && isSuccess(response) && isStated(operation) && operation.action.kind === 'create'
            ? shownId(operation, response)
            : undefined,
      })
    }
    try {
      const received = await send(request)
      const ownMs = platformMs.get(received)
      const sentMs = ownMs === undefined ? at.getTime() : now().getTime() - ownMs
      const sentAt = new Date(sentMs)
      const response = { ...(await receive(received)), sentAt }
      const { status, headers, text } = response
      const beginning = startOf(text)
      const show = (maxBody: number) => ({
        response: { status, headers: redactor.headers(headers), body: shorten(beginning, redactor, maxBody) },
      })
      const exchange = keep(show, ownMs)
      recorded.set(response, exchange)
      remember(sentMs, response)
      if (requested && !sent?.request?.spell) {
        const { operation, parameters: path } = requested
        const { searchParams: query } = new URL(request.url)
        judge(
          { operation, method: request.method, path, query, headers: request.headers, body, at: sentAt, response },
          exchange,
        )
      }
      return response
    } catch (error) {
      // A Skip means that the request was not sent, so there is no exchange.
      if (error instanceof Skip) throw error
      keep(() => ({ error: redactor.text(errorReason(error)) }))
      remember(at.getTime())
      throw error
    }
  }

  const judge = (sent: Exchange, exchange: Show) => {
    const { operation, response } = sent
    operations.add(operation.name)
    const id = `exchange.${operation.name}`
    const violations = violationsOf(sent, { fixtures }).map(({ requirement, ...rest }) => ({
      ...rest,
      source: requirement.source,
      requirements: [requirement.id],
    }))
    // If a rule is broken, do not validate the response: that would report the same problem less precisely.
    for (const breach of violations.length > 0 ? violations : validateResponse(operation, response)) {
      const { expected, seen } = redactStrings({ expected: breach.expected, seen: breach.seen }, redactor)
      // One exchange per breach is evidence enough.
      const isKnown = breaches.some((other) => other.id === id && mistakeKey(other.seen) === mistakeKey(seen))
      breaches.push({ ...breach, id, expected, seen, check, exchanges: isKnown ? [] : [exchange(lengthFor(seen))] })
    }
    const { status } = response
    const isListed = operation.responses.some((each) => matchesStatus(each.status, status))
    if (!isListed && isOpenStatus(operation, status))
      observations.push({ id: `${operation.interface}.${operation.name}.unlisted-status`, value: status })
  }

  /** Adds a violation of the state as breaches of the suspected operation, one for each broken requirement. */
  const addState = (violation: StateViolation) => {
    const { proof, ...failure } = failureOf(violation)
    const { operation } = suspectOf(violation) ?? violation.at
    const { expected, seen } = redactStrings({ expected: failure.expected, seen: failure.seen }, redactor)
    const exchanges = exchangesOf(proof.responses ?? [], seen)
    const breach = { id: `exchange.${operation.name}`, check: senderOf(violation), expected, seen, exchanges }
    for (const id of brokenBy(violation)) breaches.push({ ...breach, source: sourceOf(id), requirements: [id] })
  }

  return {
    record,
    addState,
    requests: () => requests,
    /** Sum of the response times, without waits of the suite, in ms. */
    durationMs: () => totalMs,
    /** The last exchanges, redacted. */
    evidence: () => last.map(({ show }) => show()),
    breaches,
    observations,
    operations,
  }
}

function exactJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function showRequest(request: Request, body: string | undefined, redactor: Redactor): ReportedExchange['request'] {
  const { method, url, headers } = request
  const type = headers.get('content-type') ?? ''
  const readable = body === undefined || /json|text/.test(type) ? body : `(${body.length} characters of ${type})`
  const shown = readable === undefined ? {} : { body: cut(redactor.text(readable), readable.length) }
  return { method, url: redactor.text(url), headers: redactor.headers(headers), ...shown }
}

/** The start of a text, and the length of the whole. */
interface TextStart {
  readonly head: string
  readonly length: number
}

/** Returns a copy of the start of a body for the evidence, because a slice of a long string keeps the whole string in memory. */
function startOf(text: string): TextStart {
  const { length } = text
  return { head: length > redactedAtOnce ? Buffer.from(text.slice(0, redactedAtOnce)).toString() : text, length }
}

/**
 * Redacts the start of a text. Redacting a body of many MB would take longer than the check, so the text is cut
 * first. This cut may split a secret, so the end of a cut text is omitted.
 */
function shorten({ head, length }: TextStart, redactor: Redactor, max: number): string {
  const shown = redactor.text(head)
  return cut(length > redactedAtOnce ? shown.slice(0, -4 * maxEvidenceBody) : shown, length, max)
}

function cut(text: string, length: number, max = maxEvidenceBody): string {
  const isCut = text.length > max || length > redactedAtOnce
  return isCut ? `${text.slice(0, max)}… (${length} characters)` : text
}
