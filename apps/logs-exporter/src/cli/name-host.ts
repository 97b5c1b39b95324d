import { type CallError, type Middleware, TransportError } from '@cdn/api'

/** What the codes mean that everybody meets once. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, ECONNREFUSED',
  ENOTFOUND: 'host not found, ENOTFOUND',
}

/**
 * Says in the errors of calls whom was asked, and why no answer came: the client's own say what was asked.
 *
 * @param baseUrl of the interface; only its host is named
 */
export function nameHost(baseUrl: string): Middleware {
  const { host } = new URL(baseUrl)
  return async (call, next) => {
    const outcome = await next(call)
    if (outcome.error) outcome.error.message += ` (${[host, ...reasonOf(outcome.error)].join(', ')})`
    return outcome
  }
}

/** Why no answer came; nothing where one came, or where nobody can tell more than that it took too long. */
function reasonOf(error: CallError): string[] {
  if (!(error instanceof TransportError) || error.kind === 'timeout') return []
  let cause: unknown = error.cause
  while (cause instanceof Error && !codeOf(cause) && cause.cause) cause = cause.cause
  if (!(cause instanceof Error)) return []
  const code = codeOf(cause)
  return [code ? (words[code] ?? code) : cause.message]
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
