import { hideKnown } from '@cdn/kit/known-secrets'

/** Removes credentials from errors when they are created, so that no later code has to. */

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** Maximum number of characters that an error keeps of each text. */
const keptText = 2048

/** Maximum depth of values that an error keeps. */
const maxDepth = 50

const hidden = '[redacted]'
// Both match credentials of others, for example in a log row's `authorizationHeader`, or in a request that a proxy's error page repeats.
const named = /((?:authorization(?:header)?|access-?key)\\*["']?\s*[:=]\s*)(?:\\*"(?:[^"\\]|\\.)*"?|[^\r\n,;&}]+)/gi
const schemed = /\b(bearer|basic)\s+[\w.~+/=-]+/gi

/** Matches the names of headers that may carry a credential. */
export const secretHeader = /auth|key|token|secret|cookie/i
/** Minimum length of a secret that is hidden. A shorter text may be a word of any message. The platform's credentials are longer. */
const minSecret = 8

/**
 * Creates the redaction for a request.
 *
 * @param headers headers of the request by name; the values of those that carry credentials are hidden
 * @param credential credential that was already removed from the request
 * @returns a function that hides these credentials if they have at least 8 characters, also encoded, and all text that looks like a
 *   credential
 */
export function redactionFor(headers: Readonly<Record<string, string>> = {}, credential = ''): Redact {
  const sent = Object.entries(headers).flatMap(([name, value]) => (secretHeader.test(name) ? [value] : []))
  const secrets = [...sent, credential].map((value) => value.replace(/^Bearer /, ''))
  const hideSent = hideKnown(
    secrets.filter(({ length }) => length >= minSecret),
    hidden,
  )
  return (text) => hideSent(text).replace(named, `$1${hidden}`).replace(schemed, `$1 ${hidden}`)
}

/**
 * Copies a JSON value and redacts every text in it. Values at more than 50 levels are hidden, because a body
 * may have more levels than the stack.
 *
 * @param value parsed JSON
 */
export function redactValue(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === 'string') return keep(value, redact)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return hidden
  if (Array.isArray(value)) return value.map((member) => redactValue(member, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), redactMember(name, member, redact, depth)]),
  )
}

/** Redacts a member of an object. The name matters too: a field `authorizationHeader` is always hidden. */
function redactMember(name: string, member: unknown, redact: Redact, depth: number): unknown {
  if (typeof member !== 'string') return redactValue(member, redact, depth + 1)
  const prefix = `${name}: `
  return keep(`${prefix}${member}`, redact).slice(prefix.length)
}

/**
 * Redacts a text for an error, then shortens it. The other order could leave half a secret.
 *
 * @returns at most 2048 characters
 */
export function keep(text: string, redact: Redact): string {
  return redact(text).slice(0, keptText)
}

/** An error with the fields that Node and Bun add. */
export interface SystemError extends Error {
  code?: unknown
  syscall?: unknown
}

/**
 * Copies the cause of an error with its name, message, stack and the runtime's codes, all redacted.
 *
 * @param cause thrown value; a value that is not an error becomes a redacted text
 */
export function redactCause(cause: unknown, redact: Redact, depth = 0): unknown {
  if (!(cause instanceof Error)) return keep(String(cause), redact)
  const original: SystemError = cause
  const copy: SystemError = new Error(keep(cause.message, redact))
  copy.name = cause.name
  copy.stack = redact(cause.stack ?? '')
  for (const name of ['code', 'syscall'] as const) {
    const value = original[name]
    if (typeof value === 'string') copy[name] = redact(value)
  }
  if (cause.cause !== undefined && depth < 3) copy.cause = redactCause(cause.cause, redact, depth + 1)
  return copy
}
