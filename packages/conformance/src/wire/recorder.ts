import type { InterfaceName, Operation } from '@cdn/api/contract'
import type { Answer } from '../answer.ts'
import { reasonOf } from '../failure.ts'
import type { Exchange, Observation, WireBreach } from '../report/model.ts'
import { requestedOperation } from '../requested-operation.ts'
import { isListedStatus, judgeAnswer } from './judge.ts'
import type { Redactor } from './redact.ts'

/** What a check's requests leave behind. */
export interface Recording {
  readonly fetch: typeof fetch
  readonly exchanges: readonly Exchange[]
  readonly breaches: readonly WireBreach[]
  readonly observations: readonly Observation[]
  /** Names of the operations that were called. */
  readonly operations: ReadonlySet<string>
}

export interface RecorderOptions {
  readonly fetch: typeof fetch
  readonly bases: Readonly<Record<InterfaceName, URL>>
  readonly redactor: Redactor
  /** Id of the check, for the breaches. */
  readonly check: string
}

/** So much of a body is kept as evidence, in characters. */
const bodyKept = 4_000

/**
 * Wraps fetch: each exchange is kept, redacted, and held against both layers of the contract. A middleware of the client
 * would miss requests; this sees all of them.
 */
export function createRecorder({ fetch: send, bases, redactor, check }: RecorderOptions): Recording {
  const exchanges: Exchange[] = []
  const breaches: WireBreach[] = []
  const observations: Observation[] = []
  const operations = new Set<string>()

  const record = async (input: RequestInfo | URL, init?: RequestInit): Promise<globalThis.Response> => {
    const request = new Request(input, init)
    const started = performance.now()
    const shown = await showRequest(request, redactor)
    const keep = (rest: Pick<Exchange, 'response'> | Pick<Exchange, 'error'>) =>
      exchanges.push({ request: shown, ...rest, durationMs: Math.round(performance.now() - started) })
    try {
      const response = await send(request)
      const text = await response.clone().text()
      keep({ response: showResponse(response, text, redactor) })
      const operation = requestedOperation(request, bases)
      if (operation) judge(operation, { status: response.status, headers: response.headers, text })
      return response
    } catch (error) {
      keep({ error: redactor.text(reasonOf(error)) })
      throw error
    }
  }

  const judge = (operation: Operation, answer: Answer) => {
    operations.add(operation.name)
    for (const { ground, message } of judgeAnswer(operation, answer)) {
      breaches.push({ id: `wire.${operation.name}`, ground, message: redactor.text(message), check })
    }
    const { status } = answer
    if (status >= 400 && status < 500 && !isListedStatus(operation, status)) {
      observations.push({ id: `${operation.interface}.${operation.name}.unlisted-status`, value: status, drift: false })
    }
  }

  return { fetch: record, exchanges, breaches, observations, operations }
}

async function showRequest(request: Request, redactor: Redactor): Promise<Exchange['request']> {
  const type = request.headers.get('content-type') ?? ''
  const body = request.body === null ? undefined : await request.clone().text()
  const readable = body === undefined || /json|text/.test(type) ? body : `(${body.length} characters of ${type})`
  return {
    method: request.method,
    url: redactor.text(request.url),
    headers: redactor.headers(request.headers),
    ...(readable !== undefined && { body: cut(redactor.text(readable)) }),
  }
}

function showResponse(
  response: globalThis.Response,
  text: string,
  redactor: Redactor,
): NonNullable<Exchange['response']> {
  return { status: response.status, headers: redactor.headers(response.headers), body: cut(redactor.text(text)) }
}

function cut(text: string): string {
  return text.length > bodyKept ? `${text.slice(0, bodyKept)}… (${text.length} characters)` : text
}
