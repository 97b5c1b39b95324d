/** Errors are redacted when they are built, so that no later reader has to remember to. */

/** Takes the secrets out of a text. */
export type Redact = (text: string) => string

/** How many characters of an answer an error keeps. */
const keptText = 2048

const hidden = '[redacted]'
// Credentials that are none of ours: `authorizationHeader` of a log row, a request that a proxy's error page repeats.
const named = /((?:authorization(?:header)?|access-?key)\\*["']?\s*[:=]\s*)(?:\\*"(?:[^"\\]|\\.)*"?|[^\r\n,;&}]+)/gi
const schemed = /\b(bearer|basic)\s+[\w.~+/=-]+/gi

/**
 * Makes the redaction for one request.
 *
 * @param credential the header's value as sent, where there is one
 * @returns a function that hides it, also percent-encoded, and whatever else looks like a credential
 */
export function redactionFor(credential = ''): Redact {
  const secret = credential.replace(/^Bearer /, '')
  return (text) =>
    (secret ? [secret, encodeURIComponent(secret)] : [])
      .reduce((result, spelling) => result.replaceAll(spelling, hidden), text)
      .replace(named, `$1${hidden}`)
      .replace(schemed, `$1 ${hidden}`)
}

/**
 * Shortens a text that an error is to keep, after redaction: a cut must not leave half a secret.
 *
 * @returns at most 2048 characters
 */
export function keep(text: string, redact: Redact): string {
  return redact(text).slice(0, keptText)
}

/**
 * Makes a text of the platform fit for one line of a log or terminal.
 *
 * @returns the text without control characters
 */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/**
 * Copies what caused an error, redacted: names, messages, stacks, and the codes by which a runtime says what failed.
 *
 * @param cause whatever was thrown; values that are no errors come out as redacted text
 */
export function redactCause(cause: unknown, redact: Redact, depth = 0): unknown {
  if (!(cause instanceof Error) && !(cause instanceof DOMException)) return keep(String(cause), redact)
  const copy: Error & { code?: unknown; syscall?: unknown } = new Error(keep(cause.message, redact))
  copy.name = cause.name
  copy.stack = redact(cause.stack ?? '')
  for (const name of ['code', 'syscall'] as const) {
    const value = (cause as Partial<Record<typeof name, unknown>>)[name]
    if (typeof value === 'string') copy[name] = redact(value)
  }
  if (cause.cause !== undefined && depth < 3) copy.cause = redactCause(cause.cause, redact, depth + 1)
  return copy
}
