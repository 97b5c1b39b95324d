import { defined } from '@cdn/kit/defined'
import { decodePercent } from '@cdn/kit/percent'
import { credentialHeaders } from '../platform/operations.ts'

/** A redacted path and query, and whether it contained a credential. */
export interface RedactedUrl {
  readonly text: string
  readonly hadCredential: boolean
}

const hidden = 'REDACTED'

/** Parameter names whose values are always hidden. */
const suspect = /(key|token|secret|password|authorization|bearer|jwt)/i
// The end of a JWT's first part, and its second part. Searching from the first part would take quadratic time.
const jwt = /(?<=eyJ[\w-]*)\.[\w-]*\./

/**
 * Removes credentials and texts that look like credentials, also if they are percent-encoded: known secrets, JWTs, and values of
 * parameters with names such as `token`. `hadCredential` is true only for a known secret, a JWT, or the value of a parameter with the
 * name of a credential header, because a value of `token` may be harmless.
 *
 * @param path as sent
 * @param query as sent, without the question mark
 * @param secrets texts that must not be shown anywhere
 */
export function redact(path: string, query: string, secrets: readonly string[]): RedactedUrl {
  let hadCredential = false
  const isSecret = (raw: string) => {
    const text = decode(raw)
    const isMatch =
      jwt.test(text) || secrets.some((secret) => text.includes(secret) || (raw !== text && raw.includes(secret)))
    hadCredential ||= isMatch
    return isMatch
  }
  const segments = isSecret(path) ? path.split('/').map((part) => (isSecret(part) ? hidden : part)) : [path]
  const shownPath = segments.join('/')
  // A secret that contains a slash spans several segments.
  const text = isSecret(shownPath) ? `/${hidden}` : shownPath
  if (query === '') return { text, hadCredential }
  const pairs = query.split('&').map((pair) => {
    const name = defined(pair.split('=')[0])
    const value = pair.slice(name.length + 1)
    const plainName = decode(name)
    if (value !== '' && credentialHeaders.includes(plainName.toLowerCase())) hadCredential = true
    if (isSecret(name)) return hidden
    return isSecret(value) || (pair !== name && suspect.test(plainName)) ? `${name}=${hidden}` : pair
  })
  return { text: `${text}?${pairs.join('&')}`, hadCredential }
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text
  return decodePercent(text.replaceAll('+', ' ')) ?? text
}
