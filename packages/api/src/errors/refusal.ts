import { keep, type Redact } from '../redact.ts'

/** An answer that is no success, as the errors are built from it. */
export interface Answered {
  readonly response: Response
  /** The body as text; empty where there was none. */
  readonly text: string
}

/**
 * Decodes an error body without ever failing: 401, 404 and 500 often have none, proxies send HTML (supplement).
 *
 * @returns the parsed JSON; undefined where the text is none
 */
export function decodeBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads a property of a value of any kind.
 *
 * @returns the property; undefined where the value is no object or lacks it
 */
export function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

/**
 * Takes a text field of an error body into an error.
 *
 * @returns the text, redacted and bounded; undefined where it is null, absent or no string
 */
export function textField(value: unknown, redact: Redact): string | undefined {
  return typeof value === 'string' ? keep(value, redact) : undefined
}
