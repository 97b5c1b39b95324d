/**
 * Hides secrets of the account in JSON, such as the API key of a video library. The contract decides which fields hold secrets; the
 * name decides for fields that the contract does not state.
 */
import { toRecord } from '@cdn/kit/record'
import logging from '../gen/logging.full.json' with { type: 'json' }
import management from '../gen/management.full.json' with { type: 'json' }

const hidden = '[redacted]'

/** Maximum depth of the search. Deeper lists and objects are hidden, because they may have more levels than the stack. */
const maxDepth = 200

/** Matches field names that end like a credential: `Password`, `signingSecrets`. It decides only about fields that the contract does not state. */
const credentialName = /(?:pass(?:word|wd|phrase)|pwd|secret|token|credential|authorization(?:header)?|cookie)s?$/i
/** Matches field names that end with the word `Key`: `ApiKey` and `api-key`, but not `monkey`. */
const keyName = /(?:^|[_-])[Kk]eys?$|[a-z\d]Keys?$|KEYS?$/

/** Maps each property name in the schemas of the contract to whether a property of this name has `format: password`. */
let stated: ReadonlyMap<string, boolean> | undefined

function statedFields(): ReadonlyMap<string, boolean> {
  const fields = new Map<string, boolean>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, schema] of Object.entries(toRecord(toRecord(node)['properties'])))
      fields.set(name, fields.get(name) === true || toRecord(schema)['format'] === 'password')
    for (const child of Object.values(node)) visit(child)
  }
  visit([management, logging])
  return fields
}

/**
 * Whether a field holds a secret: the contract marks it, or the contract does not state it and its name is that of a credential.
 */
export function isSecretField(name: string): boolean {
  stated ??= statedFields()
  return stated.get(name) ?? (credentialName.test(name) || keyName.test(name))
}

/**
 * Hides the secrets in a value that was parsed from JSON. Empty texts, numbers, booleans and null are shown.
 *
 * @param mark replaces each secret
 * @returns the value itself if it has no secret, otherwise a copy
 */
export function maskSecrets(value: unknown, mark: string = hidden): unknown {
  return mask(value, mark, false, 0)
}

function mask(value: unknown, mark: string, isSecret: boolean, depth: number): unknown {
  if (typeof value === 'string') return isSecret && value !== '' ? mark : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return mark
  const masked = Object.entries(value).map(
    ([name, each]) =>
      [name, mask(each, mark, isSecret || (!Array.isArray(value) && isSecretField(name)), depth + 1)] as const,
  )
  if (masked.every(([name, each]) => each === (value as Record<string, unknown>)[name])) return value
  return Array.isArray(value) ? masked.map(([, each]) => each) : Object.fromEntries(masked)
}

// A name with its colon. Within a JSON text in a JSON text, backslashes precede each quote.
const member = /(?<!\\)(\\*)"((?:[^"\\]|\\u[\da-f]{4})+)\1"\s*:\s*/gi

/**
 * Hides the secrets in a text that contains JSON, such as a body that is cut or a JSON text within a JSON text. Takes linear time.
 *
 * @param mark replaces each secret, and each list or object of secrets
 */
export function maskSecretsInText(text: string, mark: string = hidden): string {
  let masked = ''
  let kept = 0
  member.lastIndex = 0
  for (let match = member.exec(text); match; match = member.exec(text)) {
    const [, escapes = '', name = ''] = match
    const start = member.lastIndex
    const end = isSecretField(name) ? endOfValue(text, start, escapes) : start
    if (end === start) continue
    const quote = `${escapes}"`
    masked += `${text.slice(kept, start)}${quote}${mark}${quote}`
    kept = end
    member.lastIndex = end
  }
  return masked + text.slice(kept)
}

// A quote with all of its backslashes, or a bracket. The lookbehind makes a long run of backslashes in an untrusted text cheap.
const delimiter = /(?<!\\)(\\*)"|[[\]{}]/g

/** Returns the end of the text, list or object at a position; the position itself for any other value and for an empty text. */
function endOfValue(text: string, start: number, escapes: string): number {
  const quote = `${escapes}"`
  if (text.startsWith(quote + quote, start)) return start
  if (text.startsWith(quote, start)) return endOfText(text, start + quote.length, escapes)
  if (!/[[{]/.test(text[start] ?? '')) return start
  let depth = 0
  delimiter.lastIndex = start
  for (let match = delimiter.exec(text); match; match = delimiter.exec(text)) {
    const [found, before] = match
    if (before !== undefined && before.length < escapes.length) return match.index
    if (before === escapes) delimiter.lastIndex = endOfText(text, delimiter.lastIndex, escapes)
    else if (found === '[' || found === '{') depth++
    else if (before === undefined && --depth === 0) return delimiter.lastIndex
  }
  return text.length
}

/** Returns the position after the quote that ends a JSON text. A truncated text ends where the surrounding text ends. */
function endOfText(text: string, start: number, escapes: string): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at
    while (first > start && text[first - 1] === '\\') first--
    // Each level doubles the backslashes of the text, and adds one to each quote.
    const level = escapes.length + 1
    if ((at - first) % level !== level - 1) return first
    if ((at - first) % (2 * level) === level - 1) return at + 1
  }
  return text.length
}
