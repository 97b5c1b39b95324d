/**
 * Finds known secrets in texts of servers: as they are, in another case, percent-encoded, escaped for JSON or HTML, within base64, and also
 * a part of eight characters or more.
 */
import { decodePercent } from './percent.ts'

/** Minimum length of a secret that is searched. A shorter one could be a word of any text. */
const minLength = 6
/** Length of a part that counts as the secret. */
const partLength = 8

/**
 * Creates a function that hides secrets in a text. All other text stays unchanged. Takes linear time.
 *
 * @param secrets the secrets; those of fewer than 6 characters are ignored
 * @param mark replaces each secret
 */
export function hideKnown(secrets: readonly string[], mark: string): (text: string) => string {
  const known = secrets.filter(({ length }) => length >= minLength)
  if (known.length === 0) return (text) => text
  const parts = new Map<number, Set<string>>()
  for (const form of known.flatMap((secret) => [plainOf(secret).text, ...inBase64(secret)])) {
    const length = Math.min(form.length, partLength)
    const same = parts.get(length) ?? new Set()
    parts.set(length, same)
    for (let at = 0; at + length <= form.length; at++) same.add(form.slice(at, at + length))
  }
  return (text) => {
    const { text: plain, starts, ends } = plainOf(text)
    let shown = ''
    let shownTo = 0
    for (let at = 0; at < plain.length; at++) {
      let end = endOfMatch(plain, at, parts)
      if (end === at) continue
      // Parts that overlap or touch are one secret.
      for (let next = at + 1; next <= end; next++) end = Math.max(end, endOfMatch(plain, next, parts))
      shown += text.slice(shownTo, starts ? starts[at] : at) + mark
      shownTo = ends?.[end - 1] ?? end
      at = end - 1
    }
    return shownTo === 0 ? text : shown + text.slice(shownTo)
  }
}

function endOfMatch(text: string, at: number, parts: ReadonlyMap<number, ReadonlySet<string>>): number {
  let end = at
  for (const [length, same] of parts) if (same.has(text.slice(at, at + length))) end = at + length
  return end
}

/** A text without encodings, in the form in which texts are compared, and the place of each character in the original, if it moved. */
interface Plain {
  readonly text: string
  readonly starts?: readonly number[]
  readonly ends?: readonly number[]
}

// Backslashes with an escape of JSON; percent-encoding, also if its percent sign is encoded; a character reference of HTML; other text.
const unit =
  /\\+(?:u([\da-f]{4})|([^%&]?))|((?:%(?:25)*[\da-f]{2})+)|&(?:amp;)*(?:#x([\da-f]+)|#(\d+)|(amp|lt|gt|quot|apos));|[^\\%&]+|[%&]/gis
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plainOf(original: string): Plain {
  if (!/[\\%&]/.test(original)) return { text: comparable(original) }
  let text = ''
  const [starts, ends]: [number[], number[]] = [[], []]
  for (const { 0: match, 1: json, 2: plain, 3: bytes, 4: hex, 5: decimal, 6: name, index } of original.matchAll(unit)) {
    const code = json || hex ? `0x${json ?? hex}` : decimal
    const character = code
      ? fromCode(code)
      : bytes
        ? decodeBytes(bytes)
        : (plain ?? named[`${name}`.toLowerCase()] ?? match)
    // A backslash of the secret itself counts as one of an encoding.
    const decoded = character.replaceAll('\\', '')
    const isSame = decoded.length === match.length
    for (let at = 0; at < decoded.length; at++) {
      starts.push(isSame ? index + at : index)
      ends.push(index + (isSame ? at + 1 : match.length))
    }
    text += comparable(decoded)
  }
  return { text, starts, ends }
}

function decodeBytes(encoded: string): string {
  const once = encoded.replaceAll(/%(?:25)*([\da-f]{2})/gi, '%$1')
  return decodePercent(once) ?? once.replaceAll(/%(..)/g, (_, hex) => fromCode(`0x${hex}`))
}

function fromCode(code: unknown): string {
  return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : '\ufffd'
}

/** Case does not matter, and the two alphabets of base64 are one. The length stays. */
function comparable(text: string): string {
  return text
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll('-', '+')
    .replaceAll('_', '/')
}

/**
 * Returns the base64 of a text that contains the secret, without the characters that also depend on the text around the secret: one for
 * each position of the secret modulo three bytes.
 */
function inBase64(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  return [0, 1, 2].map((shift) => {
    const text = btoa('-'.repeat(shift) + String.fromCharCode(...bytes))
    const end = text.length - ([0, 3, 2][(shift + bytes.length) % 3] ?? 0)
    return comparable(text.slice(shift && shift + 1, end))
  })
}
