import { contracts } from '@cdn/api/contract'

/** A path and query that can be shown, and whether a credential had to be taken out. */
export interface Redacted {
  readonly text: string
  readonly hadCredential: boolean
}

const hidden = 'REDACTED'

/** Names under which a value is hidden, be it a credential or not. */
const suspect = /(key|token|secret|password|authorization|bearer|jwt)/i
const jwt = /eyJ[\w-]*\.[\w-]*\.[\w-]*/

/** Headers that carry a credential, by the contract. */
const credentialHeaders = new Set(
  Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ header }) => header.toLowerCase())),
)

/**
 * Takes out what is a credential, or looks like one: known secrets, JWTs, and values under names such as `token`, however
 * they are percent-encoded. Only those that are one for certain count as a credential: a known secret, a JWT, a
 * parameter with the name of a credential's header.
 *
 * @param path as sent
 * @param query as sent, without the question mark
 * @param secrets texts that must not be shown wherever they stand
 */
export function redact(path: string, query: string, secrets: readonly string[]): Redacted {
  let hadCredential = false
  const isSecret = (raw: string) => {
    const text = decode(raw)
    const found = jwt.test(text) || secrets.some((secret) => text.includes(secret) || raw.includes(secret))
    hadCredential ||= found
    return found
  }
  const segments = isSecret(path) ? path.split('/').map((part) => (isSecret(part) ? hidden : part)) : [path]
  const shownPath = segments.join('/')
  // A secret that holds a slash is in no segment.
  const text = isSecret(shownPath) ? `/${hidden}` : shownPath
  if (query === '') return { text, hadCredential }
  const pairs = query.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=')
    const value = rest.join('=')
    const plainName = decode(name)
    if (value !== '' && credentialHeaders.has(plainName.toLowerCase())) hadCredential = true
    if (isSecret(name)) return hidden
    return isSecret(value) || (rest.length > 0 && suspect.test(plainName)) ? `${name}=${hidden}` : pair
  })
  return { text: `${text}?${pairs.join('&')}`, hadCredential }
}

/** The text that a percent-encoded one stands for; as it is where it is none. */
function decode(text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
