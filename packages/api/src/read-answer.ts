import { parseJson } from '@cdn/kit/json'
import type { Middleware } from 'openapi-fetch'
import { TransportError } from './errors/transport-error.ts'
import { bodyError, decode, readBytes, unreadable } from './fetch/body.ts'
import { describeAnswer, replaceBody, requestFacts } from './fetch/request-facts.ts'
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
 * @param maxBytes maximum length of a body in bytes, unless the caller reads it as a stream
 */
export function readAnswer({ operations }: InterfaceFacts, maxBytes: number | undefined): Middleware {
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
      const toError = unreadable(response)
      const bytes = await readBytes(response.body, { maxBytes }).catch((cause: unknown) => {
        if (request.signal.aborted) throw request.signal.reason
        throw cause instanceof TransportError ? cause : toError(cause)
      })
      if (parseAs !== 'json') return replaceBody(response, bytes.length > 0 ? bytes : null)
      // A write may succeed without a body, with any 2xx status. A read must have a body, unless the contract states otherwise.
      const mayBeEmpty = request.method !== 'GET' || operations[`GET ${schemaPath}`]?.mayBeEmpty
      if (bytes.length === 0 && mayBeEmpty) return replaceBody(response, null, 0)
      const text = decode(bytes)
      try {
        // openapi-fetch calls `json`, because the response has a `Content-Length` other than 0.
        const value = parseJson(text)
        return Object.defineProperty(replaceBody(response, text, bytes.length), 'json', { value: async () => value })
      } catch {
        // The parser's message would quote the text, unredacted.
        throw bodyError(response, 'is not JSON', undefined, text)
      }
    },
  }
}

const json = 'application/json'

async function showError(response: Response): Promise<Response> {
  const { redact } = describeAnswer(response)
  const text = await readStart(response)
  try {
    const body = JSON.stringify(text === '' ? {} : redactValue(JSON.parse(text), redact))
    return replaceBody(response, body, body.length)
  } catch {
    const body = redact(text)
    return replaceBody(response, body, body.length)
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
