import type { Exchange, ExchangeBreach, Observation } from '../report/model.ts'
import { violationsOf } from '../rules/checks.ts'
import { rawBodies, type Exchange as SentExchange } from './exchange.ts'
import { reasonOf, Skip } from './failure.ts'
import type { Redactor } from './redact.ts'
import { requestedOperation, toRequest } from './requested-operation.ts'
import { hasWholeCoding } from './targets/coding.ts'
import { platformMs, type Session } from './targets/target.ts'
import { matchesStatus, type RawBody, validateResponse } from './validate-response.ts'

/** Number of reads, and of writes, in the evidence: many reads follow a write. */
const exchangesKept = 5
/** Maximum length of a body in the evidence, in characters. */
const maxEvidenceBody = 4_000
/** Length of the start of a body that is redacted at once, in characters. */
const redactedAtOnce = 16 * maxEvidenceBody
/** Maximum length of a body in characters. The rest is not read. Normal responses are shorter. */
const maxBody = 24 * 1024 * 1024

/**
 * Wraps `fetch`. Keeps the last exchanges, and validates each one against both layers of the contract. A middleware of the
 * client would miss requests that other code sends.
 *
 * @param check id of the check, for the breaches
 */
export function createRecorder(
  { fetch: send, bases, fixtures, now }: Pick<Session, 'fetch' | 'bases' | 'fixtures' | 'now'>,
  redactor: Redactor,
  check: string,
) {
  let requests = 0
  let totalMs = 0
  // Few exchanges become evidence, so only these are redacted.
  const last: { readonly isRead: boolean; readonly show: () => Exchange }[] = []
  const breaches: ExchangeBreach[] = []
  const observations: Observation[] = []
  const operations = new Set<string>()

  const record = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = toRequest(input, init)
    const started = performance.now()
    const at = now()
    const requested = requestedOperation(request, bases)
    const body = request.body === null ? undefined : await request.clone().text()
    const keep = (end: () => Pick<Exchange, 'response'> | Pick<Exchange, 'error'>, received?: Response) => {
      requests++
      const durationMs = Math.round((received && platformMs.get(received)) ?? performance.now() - started)
      totalMs += durationMs
      const operation = requested && { operation: `${requested.operation.interface}.${requested.operation.name}` }
      const facts = { at: at.toISOString(), durationMs, ...operation }
      const show = () => ({ request: showRequest(request, body, redactor), ...end(), ...facts })
      const isRead = request.method === 'GET'
      last.push({ isRead, show })
      const alike = last.filter((one) => one.isRead === isRead)
      if (alike[0] && alike.length > exchangesKept) last.splice(last.indexOf(alike[0]), 1)
      return show
    }
    try {
      const received = await send(request)
      const { text, ...bytes } = await readBodyStart(received, maxBody)
      const raw = { ...bytes, isWhole: text.length > maxBody ? undefined : hasWholeCoding(received) }
      const { status, statusText, headers } = received
      const show = () => ({ response: { status, headers: redactor.headers(headers), body: shorten(text, redactor) } })
      // A long body would stay in memory until the check ends, so it is cut now.
      const shown = text.length > redactedAtOnce ? show() : undefined
      const exchange = keep(() => shown ?? show(), received)
      if (requested) {
        const { operation, parameters } = requested
        const { searchParams: query } = new URL(request.url)
        const sent = { operation, method: request.method, path: parameters, query, headers: request.headers, body, at }
        judge({ ...sent, response: { status, headers, text, raw } }, exchange)
      }
      // Read the body once and pass it on: no response is in memory twice, or beyond the limit.
      const response = new Response([204, 205, 304].includes(status) ? null : text, { status, statusText, headers })
      rawBodies.set(response, raw)
      return response
    } catch (error) {
      // A request that was not sent is no exchange.
      if (error instanceof Skip) throw error
      keep(() => ({ error: redactor.text(reasonOf(error)) }))
      throw error
    }
  }

  const judge = (sent: SentExchange, exchange: () => Exchange) => {
    const { operation, response } = sent
    operations.add(operation.name)
    const id = `exchange.${operation.name}`
    const violations = violationsOf(sent, { fixtures }).map(({ requirement, decides, expected, seen }) => ({
      decides,
      source: requirement.source === 'spec' ? ('spec' as const) : ('supplement' as const),
      requirements: [requirement.id],
      message: `expected ${expected}, saw ${seen}`,
    }))
    // What a rule reports, the contract as a whole reports less precisely.
    for (const breach of violations.length > 0 ? violations : validateResponse(operation, response)) {
      const message = redactor.text(breach.message)
      // One exchange per breach is evidence enough.
      const isKnown = breaches.some((other) => other.message === message && other.id === id)
      breaches.push({ ...breach, id, message, check, ...(!isKnown && { exchange: exchange() }) })
    }
    const { status } = response
    const isListed = operation.responses.some((each) => matchesStatus(each.status, status))
    if (status >= 400 && status < 500 && !isListed)
      observations.push({ id: `${operation.interface}.${operation.name}.unlisted-status`, value: status })
  }

  return {
    fetch: record,
    requests: () => requests,
    /** Time until the responses, without waits of the suite, in ms. */
    durationMs: () => totalMs,
    /** The last exchanges, redacted. */
    evidence: () => last.map(({ show }) => show()),
    breaches,
    observations,
    /** Labels of the requested operations. */
    operations,
  }
}

function showRequest(request: Request, body: string | undefined, redactor: Redactor): Exchange['request'] {
  const { method, url, headers } = request
  const type = headers.get('content-type') ?? ''
  const readable = body === undefined || /json|text/.test(type) ? body : `(${body.length} characters of ${type})`
  const shown = readable === undefined ? {} : { body: cut(redactor.text(readable), readable.length) }
  return { method, url: redactor.text(url), headers: redactor.headers(headers), ...shown }
}

/**
 * Reads the start of a body, so that no body fills the memory.
 *
 * @param max a longer body is cut after about this many characters
 */
export async function readTextStart(response: Response, max: number): Promise<string> {
  return (await readBodyStart(response, max)).text
}

async function readBodyStart(
  { body }: Response,
  max: number,
): Promise<Pick<RawBody, 'length' | 'isUtf8'> & { readonly text: string }> {
  let [text, length, isUtf8] = ['', 0, true]
  if (!body) return { text, length, isUtf8 }
  const strict = new TextDecoder('utf-8', { fatal: true })
  const isStrict = (bytes?: Uint8Array) => {
    try {
      strict.decode(bytes, { stream: bytes !== undefined })
      return true
    } catch {
      return false
    }
  }
  // A decoding stream would cost more than the rest of a recording.
  const decoder = new TextDecoder()
  // Leaving the loop closes the connection.
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    length += bytes.length
    isUtf8 &&= isStrict(bytes)
    if (text.length > max) return { text, length, isUtf8 }
  }
  return { text: text + decoder.decode(), length, isUtf8: isUtf8 && isStrict() }
}

/**
 * Returns the start of a text, redacted. Redacting a body of many MB would take longer than the check, so the text is cut
 * first. This cut may split a secret, so the end of a cut text is omitted.
 */
function shorten(text: string, redactor: Redactor): string {
  const head = redactor.text(text.slice(0, redactedAtOnce))
  return cut(text.length > redactedAtOnce ? head.slice(0, -4 * maxEvidenceBody) : head, text.length)
}

function cut(text: string, length: number): string {
  const isCut = text.length > maxEvidenceBody || length > redactedAtOnce
  return isCut ? `${text.slice(0, maxEvidenceBody)}… (${length} characters)` : text
}
