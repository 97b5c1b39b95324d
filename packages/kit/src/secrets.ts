const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/**
 * Creates a function that hides secrets in texts of servers: as they are, percent-encoded, escaped for JSON or HTML, and within
 * base64. All other text stays unchanged.
 *
 * @param secrets the secrets; empty ones are ignored
 * @param hidden replaces each secret
 */
export function hideSecrets(secrets: readonly string[], hidden: string): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [[...secret].map(toPattern).join(''), ...inBase64(secret)])
    // Longest first. If a short secret is the start of a longer one, the rest of the longer one must not remain.
    .sort((a, b) => b.length - a.length)
  if (forms.length === 0) return (text) => text
  const pattern = new RegExp(forms.join('|'), 'g')
  return (text) => text.replace(pattern, () => hidden)
}

/**
 * Returns a pattern that matches a character in each encoding. ASCII letters and digits match only themselves, because no encoder changes
 * them. A character beyond ASCII matches itself and its percent-encoding.
 */
function toPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16).padStart(2, '0')
  if (/[a-z\d]/i.test(character)) return character
  if (code > 0x7f) return `(?:${character}|${encodeURIComponent(character.toWellFormed())})`
  const [low, digit] = [`${hex[0]}`, `[${hex[1]}${hex[1]?.toUpperCase()}]`]
  const name = entities[character]
  return `(?:\\\\{0,3}\\x${hex}|%(?:25)?${low}${digit}|\\\\{1,3}u00${low}${digit}|&(?:#0?${code}|#[xX]0?${low}${digit}${name ? `|${name}` : ''});)`
}

/**
 * Returns patterns for the base64 of a text that contains the secret, without the characters that also depend on the text around the
 * secret: one pattern for each position of the secret modulo three bytes; none for a secret of fewer than `minBase64` bytes.
 */
function inBase64(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length < minBase64) return []
  return [0, 1, 2].map((shift) => {
    const text = btoa('-'.repeat(shift) + String.fromCharCode(...bytes))
    const end = text.length - ([0, 3, 2][(shift + bytes.length) % 3] ?? 0)
    const known = text.slice(shift && shift + 1, end)
    return known.replaceAll('+', '[+-]').replaceAll('/', '(?:[/_]|\\\\/|%2[fF])')
  })
}

/** Minimum length in bytes of a secret that is searched in base64. The base64 of a shorter one could occur in any text. */
const minBase64 = 6
