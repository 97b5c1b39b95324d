/**
 * Finds known secrets in texts of servers: as they are, in another case, percent-encoded, escaped for JSON or HTML, or within base64. Also
 * finds parts of a secret of eight characters or more.
 */

/** Minimum length of a secret to search for. A shorter one could be a word of any text. */
const minLength = 6
/** Length of a part that counts as the secret. */
const partLength = 8
/** Length of the blocks that rule out most positions of a text. */
const blockLength = 3

/**
 * Creates a function that hides secrets in a text. All other text stays unchanged. Takes linear time.
 *
 * @param secrets the secrets; those of fewer than 6 characters are ignored
 * @param mark replaces each secret
 */
export function hideKnown(secrets: readonly string[], mark: string): (text: string) => string {
  const forms = secrets.flatMap(formsOf).filter((form) => form.length >= minLength)
  if (forms.length === 0) return (text) => text
  const length = Math.min(partLength, ...forms.map((form) => form.length))
  const parts = new Set<string>()
  for (const form of forms) for (let at = 0; at + length <= form.length; at++) parts.add(form.slice(at, at + length))
  /** Whether a part may contain a block, by the hash of the block. */
  const blocks = new Uint8Array(2 ** 15)
  for (const form of forms) for (let at = 0; at + blockLength <= form.length; at++) blocks[blockHash(form, at)] = 1
  return (text) => {
    const { text: plain, starts, ends } = plainOf(text)
    let shown = ''
    let shownTo = 0
    for (let at = 0; at + length <= plain.length; at++) {
      // A block that no part contains rules out every part that would contain it.
      const block = at + length - blockLength
      if (blocks[blockHash(plain, block)] === 0) {
        at = block
        continue
      }
      let end = at
      // Parts that overlap or touch are one secret.
      for (let next = at; next <= end; next++) if (parts.has(plain.slice(next, next + length))) end = next + length
      if (end === at) continue
      shown += text.slice(shownTo, starts ? starts[at] : at) + mark
      shownTo = ends?.[end - 1] ?? end
      at = end - 1
    }
    return shownTo === 0 ? text : shown + text.slice(shownTo)
  }
}

/** Returns a hash of the three characters at a position. */
function blockHash(text: string, at: number): number {
  return ((text.charCodeAt(at) << 10) ^ (text.charCodeAt(at + 1) << 5) ^ text.charCodeAt(at + 2)) & 0x7fff
}

// Backslashes with an escape of JSON; percent-encoding, also if its percent sign is encoded; a character reference of HTML; other text.
const unit =
  /\\+(?:u([\da-f]{4})|[^%&]?)|%(?:25)*([\da-f]{2})|&(?:amp;)*(?:#x([\da-f]+)|#(\d+)|(amp|lt|gt|quot|apos));|[^\\%&]+|[%&]/gis
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Returns a text without encodings, in the form in which texts are compared. `starts` and `ends` are the places of its characters in the
 * original; they are absent if the original has no encodings.
 */
function plainOf(original: string): { text: string; starts?: readonly number[]; ends?: readonly number[] } {
  if (!/[\\%&]/.test(original)) return { text: comparable(original) }
  let text = ''
  const [starts, ends]: [number[], number[]] = [[], []]
  for (const { 0: match, 1: json, 2: percent, 3: hex, 4: decimal, 5: name = '', index } of original.matchAll(unit)) {
    const digits = json ?? percent ?? hex
    const code = digits ? Number.parseInt(digits, 16) : Number(decimal)
    // A backslash of the secret itself counts as a part of an encoding.
    const decoded = code <= 0x10ffff ? String.fromCodePoint(code) : (named[name.toLowerCase()] ?? match)
    const plain = decoded.replaceAll('\\', '')
    for (let at = 0; at < plain.length; at++) {
      starts.push(plain === match ? index + at : index)
      ends.push(index + (plain === match ? at + 1 : match.length))
    }
    text += comparable(plain)
  }
  return { text, starts, ends }
}

/** Returns a text in lower case, in which the two alphabets of base64 are one. The length stays. */
function comparable(text: string): string {
  // Beyond ASCII, the form in lower case may have another length.
  const lower = /^\p{ASCII}*$/u.test(text)
    ? text.toLowerCase()
    : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return lower.replaceAll('-', '+').replaceAll('_', '/')
}

/**
 * Returns the forms in which a secret is compared: its characters, its bytes in UTF-8 (as in percent-encoding), and the base64 of a text
 * that contains it. Base64 encodes three bytes at a time and a secret may begin at any of the three, so it has three forms. They omit the
 * characters that also depend on the text around the secret.
 */
function formsOf(secret: string): string[] {
  if (secret.length < minLength) return []
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret))
  const inBase64 = [0, 1, 2].map((shift) => {
    const text = btoa('-'.repeat(shift) + bytes)
    const end = text.length - ([0, 3, 2][(shift + bytes.length) % 3] ?? 0)
    return comparable(text.slice(shift && shift + 1, end))
  })
  // The secret itself may contain what looks like an encoding, such as %41. If a server escapes it (\u002541), it decodes to this form.
  const literal = comparable(secret.replaceAll('\\', ''))
  return [...new Set([plainOf(secret).text, literal, plainOf(bytes).text, ...inBase64])]
}
