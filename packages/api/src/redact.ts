/** Removes credentials from errors when they are created, so that no later code has to. */
import { createRedactor, isSecretField } from './secrets.ts'

export type Redact = (text: string) => string

/** Maximum number of characters that an error keeps of each text. */
const maxTextLength = 2048

/**
 * Creates the redaction for a request.
 *
 * @param headers headers of the request by name; the values of those that carry credentials are hidden
 * @param credential credential that `headers` does not contain
 * @returns a function that hides these credentials and everything that looks like one; its `value` does so in JSON
 */
export function redactionFor(headers: Readonly<Record<string, string>> = {}, credential = '') {
  const sent = Object.entries(headers).flatMap(([name, value]) => (isSecretField(name) ? [value] : []))
  const { text, value } = createRedactor({ secrets: [...sent, credential].map((each) => each.replace(/^\w+ /, '')) })
  return Object.assign(text satisfies Redact, { value })
}

/**
 * Redacts a text for an error, then shortens it. The other order could leave half a secret.
 *
 * @returns at most 2048 characters
 */
export function redactAndCut(text: string, redact: Redact): string {
  return redact(text).slice(0, maxTextLength)
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
  if (!(cause instanceof Error)) return redactAndCut(String(cause), redact)
  const original: SystemError = cause
  const copy: SystemError = new Error(redactAndCut(cause.message, redact))
  copy.name = cause.name
  copy.stack = redact(cause.stack ?? '')
  for (const name of ['code', 'syscall'] as const) {
    const value = original[name]
    if (typeof value === 'string') copy[name] = redact(value)
  }
  if (cause.cause !== undefined && depth < 3) copy.cause = redactCause(cause.cause, redact, depth + 1)
  return copy
}
