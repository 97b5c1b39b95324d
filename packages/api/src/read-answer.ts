import { parseJson } from '@cdn/kit/json'
import type { Middleware } from 'openapi-fetch'
import { TransportError } from './errors/transport-error.ts'
import { describeAnswer, requestFacts } from './fetch/request-facts.ts'
import type { InterfaceFacts } from './interface-facts.ts'
import { redactValue } from './redact.ts'

/** An error body is read until this many characters. */
const maxErrorLength = 65_536

/**
 * Creates the middleware of every client. It gives requests the media types of the contract, and responses the form that
 * openapi-fetch expects. It parses JSON itself: integers stay exact, and invalid JSON becomes a TransportError instead of a
 * SyntaxError. An error without a body becomes `{}` instead of `""` or `undefined`, so that `if (error)` is true.
 *
 * @param facts the facts of the interface
 */
export function readAnswer({ operations }: InterfaceFacts): Middleware {
  return {
    onRequest({ request, schemaPath, params }) {
      if (!schemaPath.startsWith('/')) throw new TypeError('A path starts with a slash')
      if (!params.path && schemaPath.includes('{')) throw new TypeError(`Path parameters of ${schemaPath} are missing`)
      const { method, headers } = request
      const operation = `${method} ${schemaPath}`
      const { accept = json, contentType, isRepeatable, isOpen = false } = operations[operation] ?? {}
      const facts = requestFacts(request)
      facts.operation = operation
      facts.isOpen = isOpen
      if (isRepeatable !== undefined) facts.isRepeatable = isRepeatable
      if (!headers.has('Accept')) headers.set('Accept', accept)
      if (contentType && headers.get('Content-Type') === json) headers.set('Content-Type', contentType)
    },
    async onResponse({ request, response, schemaPath, options: { parseAs } }) {
      if (!response.ok) return showError(response)
      if (parseAs === 'stream' || response.status === 204 || request.method === 'HEAD') return undefined
      const method = parseAs === 'json' ? 'text' : parseAs
      const body: unknown = await response[method]().catch((cause: unknown) => {
        if (request.signal.aborted) throw request.signal.reason
        throw cause instanceof TransportError ? cause : bodyError(response, 'cannot be read to its end', cause)
      })
      if (typeof body !== 'string' || parseAs !== 'json') return replace(response, { [method]: body })
      // A write may succeed without a body, with any 2xx status. A read must have a body, unless the contract states otherwise.
      const mayBeEmpty = request.method !== 'GET' || operations[`GET ${schemaPath}`]?.mayBeEmpty
      if (body === '' && mayBeEmpty) return replace(response, { text: body })
      try {
        return replace(response, { text: body, json: parseJson(body) })
      } catch {
        // The parser's message would quote the text, unredacted.
        throw bodyError(response, 'is not JSON', undefined, body)
      }
    },
  }
}

const json = 'application/json'

function bodyError(response: Response, what: string, cause?: unknown, text = ''): TransportError {
  return new TransportError({ ...describeAnswer(response), text }, 'body', `has a body that ${what}`, cause)
}

async function showError(response: Response): Promise<Response> {
  const { redact } = describeAnswer(response)
  const text = await readStart(response)
  try {
    const body = text === '' ? {} : redactValue(JSON.parse(text), redact)
    return replace(response, { text: JSON.stringify(body) })
  } catch {
    return replace(response, { text: redact(text) })
  }
}

/** Reads the start of an error body. If the body breaks off, returns what arrived. */
async function readStart({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (reader && text.length < maxErrorLength) {
      const { done, value } = await reader.read()
      text += decoder.decode(value, { stream: !done })
      if (done) break
    }
    await reader?.cancel()
  } catch {}
  return text
}

/**
 * Gives openapi-fetch a body that was already read. openapi-fetch calls `json` if there is a `Content-Length` other than 0;
 * otherwise it parses `text`.
 */
function replace(response: Response, values: Readonly<Record<string, unknown>>): Response {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(response, name, { value: async () => value })
  const { text } = values
  const length = Number(response.headers.get('Content-Length'))
  if (text === undefined || (text !== '') === length > 0) return response
  const headers = new Headers(response.headers)
  if (text === '') headers.delete('Content-Length')
  else headers.set('Content-Length', String(String(text).length))
  return Object.defineProperty(response, 'headers', { value: headers })
}
